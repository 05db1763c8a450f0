/* Add up the processes that move data. */
#include "config.h"

#include "analysis/ops/datamovement.h"

#include "analysis/ops/eachjob.h"
#include "analysis/select/opselect.h"
#include "analysis/ops/opsets.h"
#include "sql/schema.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tag whose values are names of operations, by EPMT's custom. */
#define OP "op"

/* Names of programs, in one text that is owned. */
struct movers {
	char *text, *name[256];
	size_t names;
	struct pm_opselect select; /* the same as values of the tag */
};

static int take_movers(struct movers *m, const char *words, struct pm_err *e)
{
	char *rest, *word;

	memset(m, 0, sizeof *m);
	m->select.mode = PM_OPSELECT_GROUPS;
	m->text = rest = strdup(words);
	if (!rest)
		return pm_err(e, "out of memory");
	while ((word = strsep(&rest, " \t")) != NULL) {
		if (!*word)
			continue;
		if (m->names == sizeof m->name / sizeof m->name[0])
			return pm_err(e, "data_movers: more than %zu names", m->names);
		m->name[m->names++] = word;
		if (pm_opselect_add(&m->select, OP, word, e) < 0)
			return -1;
	}
	return 0;
}

static void free_movers(struct movers *m)
{
	pm_opselect_free(&m->select);
	free(m->text);
}

/* Whether a program moves data: by its name, or the last part of its path. */
static bool is_mover(const struct movers *m, const char *program)
{
	const char *slash;

	if (!program)
		return false;
	slash = strrchr(program, '/');
	program = slash ? slash + 1 : program;
	for (size_t i = 0; i < m->names; i++)
		if (strcmp(m->name[i], program) == 0)
			return true;
	return false;
}

enum { AT_SET, AT_PROGRAM, AT_START, AT_END, AT_DURATION, AT_CPU };

static const char processes_sql[] =
	"SELECT tag_set, COALESCE(exename, path), start_us, end_us, duration_us, cpu_time"
	" FROM process WHERE job_id = ?";

static void add_known(struct pm_knownsum *to, struct pm_stmt *q, int at)
{
	if (!pm_db_is_null(q, at))
		pm_knownsum_add(to, pm_db_int(q, at), false);
}

static int add_process(struct pm_datamovement *d, struct pm_stmt *q, struct pm_err *e)
{
	const int64_t start_us = pm_db_int(q, AT_START), end_us = pm_db_int(q, AT_END);

	d->processes++;
	add_known(&d->cpu, q, AT_CPU);
	add_known(&d->duration, q, AT_DURATION);
	if (pm_db_is_null(q, AT_START) || pm_db_is_null(q, AT_END) ||
	    !pm_intervals_valid(start_us, end_us))
		return 0;
	d->timed++;
	return pm_intervals_add(&d->runs, start_us, end_us) ? 0 : pm_err(e, "out of memory");
}

/* One of those who read at a time. */
struct reader {
	struct pm_datamovement *d; /* of the first job */
	const struct movers *m;
	struct pm_opsets sets;
	struct pm_stmt *processes, *whole; /* NULL before its first job */
};

static int read_processes(struct reader *r, struct pm_datamovement *d, struct pm_db *db,
			  struct pm_err *e)
{
	struct pm_stmt *q = r->processes;
	int rc;

	pm_opsets_clear(&r->sets);
	if (pm_opsets_add(&r->sets, db, d->job, e) < 0)
		return -1;
	pm_db_reset(q);
	pm_db_bind_int(q, 1, d->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		size_t n = 0;

		if (!pm_db_is_null(q, AT_SET))
			pm_opsets_of(&r->sets, d->job, pm_db_int(q, AT_SET), &n);
		if ((n || is_mover(r->m, pm_db_text(q, AT_PROGRAM, NULL))) &&
		    add_process(d, q, e) < 0)
			return -1;
	}
	pm_intervals_merge(&d->runs);
	return rc;
}

/* What the whole job took. */
static int read_whole(struct pm_datamovement *d, struct pm_stmt *q, struct pm_err *e)
{
	int rc;

	pm_db_reset(q);
	pm_db_bind_int(q, 1, d->job);
	rc = pm_db_step(q, e);
	if (rc <= 0)
		return rc;
	add_known(&d->job_cpu, q, 0);
	d->retired = pm_db_int(q, 1);
	d->jobs = !d->retired;
	return 0;
}

static int read_job(void *ctx, struct pm_db *db, size_t i, struct pm_err *e)
{
	static const char whole_sql[] = "SELECT cpu_time, CASE WHEN " PM_SCHEMA_JOB_RETIRED(
		"") " THEN 1 ELSE 0 END FROM job WHERE id = ?";
	struct reader *r = ctx;

	if (!r->whole && (pm_db_prepare(db, processes_sql, &r->processes, e) < 0 ||
			  pm_db_prepare(db, whole_sql, &r->whole, e) < 0))
		return -1;
	if (read_whole(&r->d[i], r->whole, e) < 0)
		return -1;
	/* Some of its processes may be left yet. */
	return r->d[i].retired ? 0 : read_processes(r, &r->d[i], db, e);
}

/* Add the values of a job to those of all. */
static int add_job(struct pm_datamovement *all, const struct pm_datamovement *d, struct pm_err *e)
{
	struct pm_knownsum *const to[] = { &all->cpu, &all->duration, &all->job_cpu };
	const struct pm_knownsum *const from[] = { &d->cpu, &d->duration, &d->job_cpu };

	all->jobs += d->jobs;
	all->retired += d->retired;
	if (d->retired)
		return 0;
	all->processes += d->processes;
	all->timed += d->timed;
	for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
		pm_knownsum_join(to[i], from[i], false);
	for (size_t i = 0; i < d->runs.count; i++)
		if (!pm_intervals_add(&all->runs, d->runs.at[i].start_us, d->runs.at[i].end_us))
			return pm_err(e, "out of memory");
	return 0;
}

static void begin(struct pm_datamovement *d, int64_t job)
{
	*d = (struct pm_datamovement){ .job = job,
				       .cpu.sum = PM_OPS_UNKNOWN,
				       .duration.sum = PM_OPS_UNKNOWN,
				       .job_cpu.sum = PM_OPS_UNKNOWN };
}

int pm_datamovement_read(struct pm_datamovement *d, struct pm_db *const *db, size_t n,
			 const int64_t *job, size_t jobs, const char *movers, struct pm_err *e)
{
	struct reader reader[PM_EACHJOB_MOST];
	void *ctx[PM_EACHJOB_MOST] = { NULL };
	struct movers m;
	int rc;

	for (size_t i = 0; i <= jobs; i++)
		begin(&d[i], i < jobs ? job[i] : 0);
	rc = take_movers(&m, movers, e);
	for (size_t k = 0; k < n; k++) {
		reader[k] = (struct reader){ .d = d, .m = &m };
		pm_opsets_init(&reader[k].sets, &m.select, false);
		ctx[k] = &reader[k];
	}
	if (rc == 0)
		rc = pm_eachjob(db, n, jobs, read_job, ctx, e);
	for (size_t i = 0; rc == 0 && i < jobs; i++)
		rc = add_job(&d[jobs], &d[i], e);
	pm_intervals_merge(&d[jobs].runs);
	for (size_t k = 0; k < n; k++) {
		pm_db_finish(reader[k].processes);
		pm_db_finish(reader[k].whole);
		pm_opsets_free(&reader[k].sets);
	}
	free_movers(&m);
	return rc < 0 ? pm_err_prefix(e, "add up what moves data") : 0;
}

int64_t pm_datamovement_sum(const struct pm_datamovement *d, const struct pm_knownsum *v)
{
	return !d->jobs ? PM_OPS_UNKNOWN : d->processes ? v->sum : 0;
}

double pm_datamovement_share(const struct pm_datamovement *d)
{
	const int64_t cpu_us = pm_datamovement_sum(d, &d->cpu);

	return cpu_us == PM_OPS_UNKNOWN || d->job_cpu.sum == PM_OPS_UNKNOWN || d->job_cpu.sum <= 0
		       ? NAN
		       : (double)cpu_us / (double)d->job_cpu.sum;
}

void pm_datamovement_free(struct pm_datamovement *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pm_intervals_free(&d[i].runs);
}
