/* Find the processes of operations. */
#include "config.h"

#include "analysis/ops/opprocesses.h"

#include "analysis/ops/opsets.h"
#include "common/job/jobidentity.h"
#include "common/memtext.h"

#include <stdio.h>
#include <stdlib.h>

static const char head[] = "SELECT p.job_id, p.id, p.tag_set, o.tag_set, " PM_JOBIDENTITY_SHOWN(
	"j.") ", p.pid, h.hostname,"
	      " p.start_us, p.end_us, p.duration_us, p.cpu_time, p.inclusive_cpu_time, j.start_us,"
	      " p.exename, p.args FROM process p"
	      " JOIN job j ON j.id = p.job_id"
	      " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	      " LEFT JOIN process o ON o.job_id = p.job_id AND o.id = p.parent_id"
	      " WHERE p.tag_set IS NOT NULL AND p.job_id IN (";

/* The SQL, to be freed; NULL if out of memory. */
static char *make_sql(const int64_t *job, size_t jobs, bool roots)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);

	if (!out)
		return NULL;
	fputs(head, out);
	for (size_t i = 0; i < jobs; i++)
		fprintf(out, "%s%lld", i ? ", " : "", (long long)job[i]);
	fprintf(out, ") ORDER BY %sp.job_id, p.id",
		roots ? "" : "p.start_us IS NULL, p.start_us, ");
	return pm_memtext_end(out, &sql);
}

static bool contains(const uint32_t *of, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (of[i] == number)
			return true;
	return false;
}

/* What is asked for, as rows come. */
struct finding {
	struct pm_opsets sets;
	bool roots;
	int64_t limit; /* what is left of it */
	int (*each)(void *ctx, struct pm_stmt *q, const char *key, struct pm_err *e);
	void *ctx;
};

static int take_row(struct finding *f, struct pm_stmt *q, struct pm_err *e)
{
	const int64_t job = pm_db_int(q, PM_OPPROCESS_JOB);
	const uint32_t *of, *parent = NULL;
	size_t n, parents = 0;

	of = pm_opsets_of(&f->sets, job, pm_db_int(q, PM_OPPROCESS_SET), &n);
	if (f->roots && !pm_db_is_null(q, PM_OPPROCESS_PARENT_SET))
		parent = pm_opsets_of(&f->sets, job, pm_db_int(q, PM_OPPROCESS_PARENT_SET),
				      &parents);
	for (size_t i = 0; i < n && f->limit > 0; i++) {
		if (contains(parent, parents, of[i]))
			continue;
		if (f->each(f->ctx, q, f->sets.op[of[i]].key, e) < 0)
			return -1;
		f->limit--;
	}
	return 0;
}

int pm_opprocesses_find(struct pm_db *db, const int64_t *job, size_t jobs,
			const struct pm_opselect *select, bool roots, int64_t limit,
			int (*each)(void *ctx, struct pm_stmt *q, const char *key,
				    struct pm_err *e),
			void *ctx, struct pm_err *e)
{
	struct finding f = { .roots = roots, .limit = limit, .each = each, .ctx = ctx };
	struct pm_stmt *q = NULL;
	char *sql = NULL;
	int rc = 0;

	if (jobs > PM_OPPROCESSES_JOBS)
		return pm_err(e, "processes of more than %d jobs at once", PM_OPPROCESSES_JOBS);
	pm_opsets_init(&f.sets, select, false);
	for (size_t i = 0; rc == 0 && i < jobs; i++)
		rc = pm_opsets_add(&f.sets, db, job[i], e);
	if (rc == 0 && !(sql = make_sql(job, jobs, roots)))
		rc = pm_err(e, "out of memory");
	if (rc == 0)
		rc = pm_db_prepare(db, sql, &q, e);
	while (rc == 0 && f.limit > 0) {
		rc = pm_db_step(q, e);
		if (rc <= 0)
			break;
		rc = take_row(&f, q, e);
	}
	pm_db_finish(q);
	free(sql);
	pm_opsets_free(&f.sets);
	return rc;
}
