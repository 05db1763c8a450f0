/* Conditions on table job, as SQL with parameters, of what the user wrote. */
#include "config.h"

#include "analysis/select/jobfilter.h"

#include "analysis/select/when.h"
#include "common/memtext.h"
#include "common/safe/tsv.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_user(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	(void)about;
	fputs("\"user\" = ?", m->sql);
	return pm_parameters_add(m->values, word, 0, e);
}

/* The index has the beginning of the text. */
static int is_text(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	fprintf(m->sql, "(substr(%s, 1, 100)) = substr(?, 1, 100) AND %s || '' = ?", about, about);
	return pm_parameters_add(m->values, word, 0, e) < 0
		       ? -1
		       : pm_parameters_add(m->values, word, 0, e);
}

static int is_host(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	(void)about;
	fputs("SELECT job_id FROM host WHERE ", m->sql);
	return is_text(m, word, "hostname", e);
}

static int has_status(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	static const struct {
		const char *word, *condition;
	} known[] = {
		/* Most jobs: sorting them all would take longer than to look at each in order. */
		{ "ok", "+exit_status = 0 AND exit_signal IS NULL AND coalesce(running, 0) = 0" },
		{ "failed", PM_SCHEMA_JOB_FAILED },
		{ "killed", "exit_signal IS NOT NULL" },
		{ "running", PM_SCHEMA_JOB_RUNNING },
		{ "unknown",
		  "exit_status IS NULL AND exit_signal IS NULL AND coalesce(running, 0) = 0" },
	};
	int64_t number;

	(void)about;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].word, word) == 0)
			return fputs(known[i].condition, m->sql) < 0 ? -1 : 0;
	if (pm_tsv_number(word, strlen(word), &number) < 0)
		return pm_err(e,
			      "'%s' is no status: ok, failed, killed, running, unknown or the exit "
			      "status",
			      word);
	fputs("exit_status = ?", m->sql);
	return pm_parameters_add(m->values, NULL, number, e);
}

#define HAVE_PAIR(table) "SELECT job_id FROM " table " " PM_CONDITIONS_PAIR

static int add_time(struct pm_conditions *m, const char *text, const char *condition, int times,
		    int64_t now_us, struct pm_err *e)
{
	int64_t us;

	if (!text)
		return 0;
	if (pm_when_parse(text, now_us, &us, e) < 0)
		return -1;
	pm_conditions_begin(m);
	fputs(condition, m->sql);
	for (int i = 0; i < times; i++)
		if (pm_parameters_add(m->values, NULL, us, e) < 0)
			return -1;
	return 0;
}

/* A job that runs still is not over, although some of its processes ended. */
#define NOT_OVER(time) "(" PM_SCHEMA_JOB_END("") " >= " time " OR " PM_SCHEMA_JOB_RUNNING ")"

static const char ran_at[] = "start_us <= ? AND " NOT_OVER("?");
static const char ran_beside[] = "start_us <= (SELECT " PM_SCHEMA_JOB_END(
	"o.") " FROM job o WHERE o.id = ?)"
	      " AND " NOT_OVER("(SELECT o.start_us FROM job o WHERE o.id = ?)") " AND id <> ?";

static int add_other(struct pm_conditions *m, int64_t other, struct pm_err *e)
{
	if (!other)
		return 0;
	pm_conditions_begin(m);
	fputs(ran_beside, m->sql);
	for (int i = 0; i < 3; i++)
		if (pm_parameters_add(m->values, NULL, other, e) < 0)
			return -1;
	return 0;
}

static int add_all(struct pm_conditions *m, const struct pm_jobfilter_words *w, int64_t now_us,
		   struct pm_err *e)
{
	const struct {
		const char *list;
		pm_conditions_alternative *each;
		const char *about;
		bool ids; /* its alternatives select numbers of jobs */
	} lists[] = {
		{ w->user, is_user, NULL, false },
		{ w->name, is_text, "name", false },
		{ w->account, is_text, "account", false },
		{ w->queue, is_text, "queue", false },
		{ w->host, is_host, NULL, true },
		{ w->status, has_status, NULL, false },
		{ w->tag, pm_conditions_pairs, HAVE_PAIR("tag_set WHERE id = 0 AND"), true },
		{ w->annotation, pm_conditions_pairs, HAVE_PAIR("annotation WHERE"), true },
	};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if ((lists[i].ids ? pm_conditions_ids : pm_conditions_list)(
			    m, lists[i].list, lists[i].each, lists[i].about, e) < 0)
			return -1;
	if (add_time(m, w->after, "start_us >= ?", 1, now_us, e) < 0 ||
	    add_time(m, w->before, "start_us < ?", 1, now_us, e) < 0 ||
	    add_time(m, w->when, ran_at, 2, now_us, e) < 0)
		return -1;
	return add_other(m, w->when_job, e);
}

int pm_jobfilter_make(struct pm_jobfilter *f, const struct pm_jobfilter_words *w, int64_t now_us,
		      struct pm_err *e)
{
	struct pm_conditions m = { .values = &f->values, .lead = " WHERE " };
	size_t n;
	int rc;

	*f = (struct pm_jobfilter){ .order = NULL };
	f->order = pm_joborder_find(w->order ? w->order : "start", e);
	if (!f->order)
		return -1;
	m.sql = open_memstream(&f->where, &n);
	if (!m.sql)
		return pm_err(e, "out of memory");
	rc = add_all(&m, w, now_us, e);
	if (!pm_memtext_end(m.sql, &f->where))
		return pm_err(e, "out of memory");
	return rc;
}

/* Add copies of parameters. Returns 0, or -1 with e filled. */
static int add_values(struct pm_jobfilter *f, const struct pm_parameters *values, struct pm_err *e)
{
	for (size_t i = 0; i < values->n; i++)
		if (pm_parameters_add(&f->values, values->item[i].text, values->item[i].number, e) <
		    0)
			return -1;
	return 0;
}

int pm_jobfilter_add(struct pm_jobfilter *f, const char *sql, const struct pm_parameters *values,
		     struct pm_err *e)
{
	char *where;

	if (asprintf(&where, "%s%s(%s)", f->where, *f->where ? " AND " : " WHERE ", sql) < 0)
		return pm_err(e, "out of memory");
	free(f->where);
	f->where = where;
	return values ? add_values(f, values, e) : 0;
}

int pm_jobfilter_first(struct pm_jobfilter *f, const struct pm_jobfilter *of, int jobs,
		       const char *sql, const struct pm_parameters *values, struct pm_err *e)
{
	*f = (struct pm_jobfilter){ .order = of->order };
	if (asprintf(&f->where, " WHERE id IN (SELECT id FROM job%s ORDER BY %s LIMIT %d)",
		     of->where, of->order, jobs) < 0) {
		f->where = NULL;
		return pm_err(e, "out of memory");
	}
	return add_values(f, &of->values, e) < 0 ? -1 : pm_jobfilter_add(f, sql, values, e);
}

int pm_jobfilter_bind(const struct pm_jobfilter *f, struct pm_stmt *q, int from)
{
	return pm_parameters_bind(&f->values, q, from);
}

void pm_jobfilter_free(struct pm_jobfilter *f)
{
	pm_parameters_free(&f->values);
	free(f->where);
	*f = (struct pm_jobfilter){ .order = NULL };
}
