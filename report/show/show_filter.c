/* Turn options about processes into a condition. */
#include "config.h"

#include "report/show/show_filter.h"

#include "analysis/select/opselect.h"
#include "analysis/ops/opsets.h"
#include "analysis/select/when.h"
#include "common/memtext.h"
#include "common/now.h"
#include "common/safe/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images that are named, at most, in the message about several processes. */
#define NAMED 5

/* --- tags --------------------------------------------------------------------------------------
 */

/* The sets of tags that have what is asked for: few, beside the processes. */
static int add_tags(FILE *sql, const char *tag, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_opselect select;
	struct pm_opsets sets = { .select = NULL };
	int status = PM_EXIT_OK;
	bool any = false;

	if (pm_opselect_make(&select, tag, NULL, e) < 0) {
		pm_opselect_free(&select);
		return PM_EXIT_USAGE;
	}
	pm_opsets_init(&sets, &select, false);
	if (pm_opsets_add(&sets, db, job, e) < 0)
		status = PM_EXIT_FAILED;
	fputs(" AND p.tag_set IN (", sql);
	for (size_t i = 0; i < sets.sets; i++) {
		if (!sets.set[i].count)
			continue;
		fprintf(sql, "%s%lld", any ? ", " : "", (long long)sets.set[i].id);
		any = true;
	}
	/* No set has number 0, which is of the job. */
	fputs(any ? ")" : "0)", sql);
	pm_opsets_free(&sets);
	pm_opselect_free(&select);
	return status;
}

/* --- a subtree ---------------------------------------------------------------------------------
 */

/* The images of the process that is meant. */
struct roots {
	int64_t first_id, host, starttime; /* of the first one */
	int64_t depth;
	int images;
	bool several; /* processes */
};

/* Numbers go in the order of the tree: what is below a process follows it, up to the next one that
 * is not deeper. */
#define BELOW                                                                                      \
	"(SELECT COALESCE(MIN(o.id), r.id + 9000000000000000) FROM process o WHERE o.job_id = "    \
	"r.job_id AND o.id > r.id AND o.depth <= r.depth)"

static int64_t number_of(struct pm_stmt *q, int at)
{
	return pm_db_is_null(q, at) ? -1 : pm_db_int(q, at);
}

/* Take an image, its host, start, depth and what follows its descendants. */
static void take_image(struct roots *r, struct pm_stmt *q, FILE *sql, struct pm_err *e)
{
	const int64_t id = pm_db_int(q, 0), host = number_of(q, 1), start = number_of(q, 2);
	const size_t have = strlen(e->text);

	if (r->images++ == 0)
		*r = (struct roots){ id, host, start, number_of(q, 3), 1, false };
	else
		r->several = r->several || host != r->host || start != r->starttime;
	fprintf(sql, "%sp.id >= %lld AND p.id < %lld", r->images > 1 ? " OR " : "", (long long)id,
		(long long)pm_db_int(q, 4));
	if (r->images <= NAMED)
		snprintf(e->text + have, sizeof e->text - have, "%s #%lld",
			 r->images > 1 ? "," : "", (long long)id);
	else if (r->images == NAMED + 1)
		snprintf(e->text + have, sizeof e->text - have, " and more");
}

/* Add the condition for a process and its descendants: #NUMBER in the job, or a pid. */
static int add_subtree(struct pm_show_filter *f, FILE *sql, const char *process, struct pm_db *db,
		       int64_t job, struct pm_err *e)
{
	const bool is_number = *process == '#';
	const char *digits = process + is_number;
	struct roots r = { .images = 0 };
	struct pm_stmt *q;
	int64_t number;
	int rc;

	if (pm_tsv_number(digits, strlen(digits), &number) < 0) {
		pm_err(e,
		       "--subtree %s: a pid is needed, or # and the number of a process in the job",
		       process);
		return PM_EXIT_USAGE;
	}
	if (pm_db_prepare(
		    db,
		    is_number ? "SELECT r.id, r.host_id, r.starttime, r.depth, " BELOW
				" FROM process r WHERE r.job_id = ? AND r.id = ? ORDER BY r.id"
			      : "SELECT r.id, r.host_id, r.starttime, r.depth, " BELOW
				" FROM process r WHERE r.job_id = ? AND r.pid = ? ORDER BY r.id",
		    &q, e) < 0)
		return PM_EXIT_FAILED;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, number);
	pm_err(e, "--subtree %s: several processes had this pid; name one of", process);
	fputs(" AND (", sql);
	while ((rc = pm_db_step(q, e)) > 0)
		take_image(&r, q, sql, e);
	pm_db_finish(q);
	fputs(r.images ? ")" : "1 = 0)", sql);
	f->depth = r.depth > 0 ? r.depth : 0;
	if (rc == 0 && r.images && !r.several) {
		e->text[0] = '\0';
		return PM_EXIT_OK;
	}
	if (rc == 0 && !r.images)
		pm_err(e, "--subtree %s: the job has no such process", process);
	return PM_EXIT_FAILED;
}

/* --- a time ------------------------------------------------------------------------------------
 */

/* Read a time, or +DURATION after the start of the job. Returns an exit status. */
static int read_time(const char *text, struct pm_db *db, int64_t job, int64_t *us, struct pm_err *e)
{
	struct pm_stmt *q;
	char before[64];
	int64_t start_us = 0;
	int rc;

	if (*text != '+')
		return pm_when_parse(text, pm_now_us(), us, e) < 0 ? PM_EXIT_USAGE : PM_EXIT_OK;
	/* So long before 0 is the negative duration. */
	snprintf(before, sizeof before, "-%s", text + 1);
	if (strlen(text) >= sizeof before || pm_when_parse(before, 0, us, e) < 0) {
		pm_err(e, "--alive %s: after + a duration such as 90s is needed", text);
		return PM_EXIT_USAGE;
	}
	if (pm_db_prepare(db, "SELECT start_us FROM job WHERE id = ? AND start_us IS NOT NULL", &q,
			  e) < 0)
		return PM_EXIT_FAILED;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0)
		start_us = pm_db_int(q, 0);
	pm_db_finish(q);
	if (rc == 0)
		pm_err(e, "--alive %s: the start of the job is not known", text);
	if (rc <= 0)
		return PM_EXIT_FAILED;
	*us = start_us - *us;
	return PM_EXIT_OK;
}

static int add_alive(FILE *sql, const char *text, struct pm_db *db, int64_t job, struct pm_err *e)
{
	int64_t us = 0;
	const int status = read_time(text, db, job, &us, e);

	fprintf(sql, " AND p.start_us <= %lld AND (p.end_us >= %lld OR p.end_us IS NULL)",
		(long long)us, (long long)us);
	return status;
}

/* --- all ---------------------------------------------------------------------------------------
 */

int pm_show_filter_make(struct pm_show_filter *f, const struct pm_cli *cli, struct pm_db *db,
			int64_t job, struct pm_err *e)
{
	const char *tag = cli->value[PM_OPT_tag], *alive = cli->value[PM_OPT_alive];
	const char *subtree = cli->value[PM_OPT_subtree];
	int status = PM_EXIT_OK;
	size_t n;
	FILE *sql;

	*f = (struct pm_show_filter){ .by_start = cli->given[PM_OPT_timeline] > 0 };
	f->listed = f->by_start || tag || alive;
	f->any = tag || alive || subtree;
	sql = open_memstream(&f->where, &n);
	if (!sql) {
		pm_err(e, "out of memory");
		return PM_EXIT_FAILED;
	}
	if (tag)
		status = add_tags(sql, tag, db, job, e);
	if (status == PM_EXIT_OK && subtree)
		status = add_subtree(f, sql, subtree, db, job, e);
	if (status == PM_EXIT_OK && alive)
		status = add_alive(sql, alive, db, job, e);
	if (!pm_memtext_end(sql, &f->where)) {
		pm_err(e, "out of memory");
		return PM_EXIT_FAILED;
	}
	return status;
}

void pm_show_filter_free(struct pm_show_filter *f)
{
	free(f->where);
	f->where = NULL;
}
