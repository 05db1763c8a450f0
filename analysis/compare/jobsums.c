/* Add up jobs in SQL: one pass over those of a filter. */
#include "config.h"

#include "analysis/compare/jobsums.h"

#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_US INT64_C(86400000000)

/* Reals, whose sum does not overflow. */
#define REAL(x) "CAST(" x " AS double precision)"

/* A figure below 0 is none. */
#define KNOWN(x) "CASE WHEN " x " >= 0 THEN " x " END"

/* Of jobs that are over. */
#define ALLOCATED                                                                                  \
	"CASE WHEN coalesce(running, 0) = 0 THEN " REAL("duration_us") " * " REAL("cpus") " END"
#define USED                                                                                       \
	"(" REAL(KNOWN("cpu_time")) " + " REAL("coalesce(excluded_cpu_us, 0)") " + " REAL(         \
		"coalesce(folded_cpu_us, 0)") ")"
#define FAILED "CASE WHEN " PM_SCHEMA_JOB_FAILED " THEN 1 ELSE 0 END"
#define ASKED  "(SELECT min(memory_limit_kb) FROM host WHERE host.job_id = job.id)"

/* clang-format off */
/* The parts of a job, which are computed once each. */
#define PARTS                                                                                      \
	ALLOCATED " AS allocated, CASE WHEN " ALLOCATED " IS NOT NULL THEN " USED " END AS used, " \
	USED " AS cpu, " FAILED " AS failed, CASE WHEN running > 0 THEN 1 ELSE 0 END AS running, " \
	ASKED " AS asked, " KNOWN("rssmax") " AS rss, " KNOWN("energy_uj") " AS energy"

#define SUMS                                                                                       \
	"count(*), sum(failed), sum(running), sum(allocated), count(allocated),"                   \
	" sum(CASE WHEN used IS NOT NULL THEN allocated END), sum(used), count(used),"             \
	" sum(CASE WHEN allocated > used THEN allocated - used WHEN used IS NOT NULL THEN 0 END)," \
	" sum(cpu), count(cpu), sum(CASE WHEN rss IS NOT NULL THEN " REAL("asked") " END),"        \
	" sum(CASE WHEN asked IS NOT NULL THEN " REAL("rss") " END),"                              \
	" count(CASE WHEN asked IS NOT NULL THEN rss END), sum(" REAL("rss") "), count(rss),"      \
	" max(rss), sum(" REAL("energy") "), count(energy)"
/* Of a program there is neither an allocation nor an energy. */
#define PROGRAMS                                                                                   \
	"SELECT p.program AS key, CASE WHEN p.failed > 0 THEN 1 ELSE 0 END AS failed,"             \
	" 0 AS running, " REAL("NULL") " AS allocated, " REAL("NULL") " AS used, "                 \
	REAL(KNOWN("p.cpu_time")) " AS cpu, " REAL("NULL") " AS asked, "                             \
	KNOWN("p.rssmax") " AS rss, "                                                              \
	REAL("NULL") " AS energy FROM (SELECT id FROM job%s) j"                                    \
	" JOIN program_summary p ON p.job_id = j.id WHERE p.runs > 0"
/* clang-format on */

enum {
	AT_KEY,
	AT_JOBS,
	AT_FAILED,
	AT_RUNNING,
	AT_ALLOCATED,
	AT_ALLOCATED_JOBS,
	AT_KNOWN,
	AT_USED,
	AT_USED_JOBS,
	AT_WASTED,
	AT_CPU,
	AT_CPU_JOBS,
	AT_ASKED,
	AT_ASKED_RSS,
	AT_ASKED_JOBS,
	AT_RSS,
	AT_RSS_JOBS,
	AT_PEAK,
	AT_ENERGY,
	AT_ENERGY_JOBS
};

/* The expression that jobs are grouped by. */
static const char *const keys[] = {
	[PM_JOBSUMS_USER] = "\"user\"",
	[PM_JOBSUMS_ACCOUNT] = "account",
	[PM_JOBSUMS_QUEUE] = "queue",
	[PM_JOBSUMS_NAME] = "name",
	[PM_JOBSUMS_DAY] = PM_SCHEMA_JOB_DAY,
	[PM_JOBSUMS_MONTH] = PM_SCHEMA_JOB_DAY,
	[PM_JOBSUMS_TAG] = "(SELECT value FROM tag_set WHERE tag_set.job_id = job.id AND "
			   "tag_set.id = 0 AND tag_set.name = ?)",
};

/* The statement, to be freed; NULL if out of memory. */
static char *make_sql(const struct pm_jobfilter *f, enum pm_jobsums_by by)
{
	char *sql;
	int n;

	if (by == PM_JOBSUMS_PROGRAM)
		n = asprintf(&sql, "SELECT key, " SUMS " FROM (" PROGRAMS ") x GROUP BY key",
			     f->where);
	else
		n = asprintf(&sql,
			     "SELECT key, " SUMS " FROM (SELECT %s AS key, " PARTS
			     " FROM job%s) x GROUP BY key",
			     keys[by], f->where);
	return n < 0 ? NULL : sql;
}

/* A sum; 0 where there is nothing to add. */
static double sum_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? 0 : pm_db_real(q, i);
}

static void take_row(struct pm_jobsums_row *r, struct pm_stmt *q)
{
	*r = (struct pm_jobsums_row){
		.jobs = pm_db_int(q, AT_JOBS),
		.failed = pm_db_int(q, AT_FAILED),
		.running = pm_db_int(q, AT_RUNNING),
		.allocated_us = sum_of(q, AT_ALLOCATED),
		.allocated_jobs = pm_db_int(q, AT_ALLOCATED_JOBS),
		.known_us = sum_of(q, AT_KNOWN),
		.used_us = sum_of(q, AT_USED),
		.known_jobs = pm_db_int(q, AT_USED_JOBS),
		.wasted_us = sum_of(q, AT_WASTED),
		.cpu_us = sum_of(q, AT_CPU),
		.cpu_jobs = pm_db_int(q, AT_CPU_JOBS),
		.asked_kb = sum_of(q, AT_ASKED),
		.asked_used_kb = sum_of(q, AT_ASKED_RSS),
		.asked_jobs = pm_db_int(q, AT_ASKED_JOBS),
		.rss_kb = sum_of(q, AT_RSS),
		.rss_jobs = pm_db_int(q, AT_RSS_JOBS),
		.peak_kb = pm_db_int(q, AT_PEAK),
		.energy_uj = sum_of(q, AT_ENERGY),
		.energy_jobs = pm_db_int(q, AT_ENERGY_JOBS),
	};
}

/* Add the sums of a row to another. */
static void add_row(struct pm_jobsums_row *to, const struct pm_jobsums_row *r)
{
	to->jobs += r->jobs;
	to->failed += r->failed;
	to->running += r->running;
	to->allocated_us += r->allocated_us;
	to->allocated_jobs += r->allocated_jobs;
	to->known_us += r->known_us;
	to->used_us += r->used_us;
	to->known_jobs += r->known_jobs;
	to->wasted_us += r->wasted_us;
	to->cpu_us += r->cpu_us;
	to->cpu_jobs += r->cpu_jobs;
	to->asked_kb += r->asked_kb;
	to->asked_used_kb += r->asked_used_kb;
	to->asked_jobs += r->asked_jobs;
	to->rss_kb += r->rss_kb;
	to->rss_jobs += r->rss_jobs;
	if (r->peak_kb > to->peak_kb)
		to->peak_kb = r->peak_kb;
	to->energy_uj += r->energy_uj;
	to->energy_jobs += r->energy_jobs;
}

/* The key of the current row: of a day its date, of a month the part of it. Returns 0, or -1 with
 * e filled. */
static int take_key(char **key, struct pm_stmt *q, enum pm_jobsums_by by, struct pm_err *e)
{
	const bool day = by == PM_JOBSUMS_DAY, month = by == PM_JOBSUMS_MONTH;
	const char *text = pm_db_text(q, AT_KEY, NULL);
	char date[64];
	struct tm tm;

	*key = NULL;
	if (pm_db_is_null(q, AT_KEY) || (text && !*text))
		return 0;
	if (day || month) {
		int64_t us = pm_db_int(q, AT_KEY);
		time_t s = (time_t)((us / DAY_US - (us % DAY_US < 0)) * (DAY_US / 1000000));

		if (!gmtime_r(&s, &tm) ||
		    strftime(date, sizeof date, day ? "%Y-%m-%d" : "%Y-%m", &tm) == 0)
			return 0;
		text = date;
	}
	*key = strdup(text ? text : "");
	return *key ? 0 : pm_err(e, "out of memory");
}

static bool same_key(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static int by_key(const void *a, const void *b)
{
	const struct pm_jobsums_row *x = a, *y = b;

	if (!x->key || !y->key)
		return !x->key - !y->key;
	return strcmp(x->key, y->key);
}

static int by_cpu(const void *a, const void *b)
{
	const struct pm_jobsums_row *x = a, *y = b;
	const double m = fmax(x->allocated_us, x->cpu_us), n = fmax(y->allocated_us, y->cpu_us);

	return m != n ? (m < n) - (m > n) : by_key(a, b);
}

/* Add up the days of a month, and sort. */
static void arrange(struct pm_jobsums *s, enum pm_jobsums_by by)
{
	const bool dates = by == PM_JOBSUMS_DAY || by == PM_JOBSUMS_MONTH;
	size_t n = 0;

	if (s->rows == 0)
		return;
	qsort(s->row, s->rows, sizeof *s->row, by_key);
	for (size_t i = 0; i < s->rows; i++) {
		add_row(&s->all, &s->row[i]);
		if (n && same_key(s->row[n - 1].key, s->row[i].key)) {
			add_row(&s->row[n - 1], &s->row[i]);
			free(s->row[i].key);
		} else {
			s->row[n++] = s->row[i];
		}
	}
	s->rows = n;
	if (!dates)
		qsort(s->row, s->rows, sizeof *s->row, by_cpu);
}

int pm_jobsums_read(struct pm_jobsums *s, struct pm_db *db, const struct pm_jobfilter *f,
		    enum pm_jobsums_by by, const char *tag, struct pm_err *e)
{
	char *sql = make_sql(f, by);
	struct pm_stmt *q;
	int rc, next = 1;

	*s = (struct pm_jobsums){ .row = NULL };
	if (!sql)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	if (by == PM_JOBSUMS_TAG)
		pm_db_bind_str(q, next++, tag);
	pm_jobfilter_bind(f, q, next);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_jobsums_row *r;

		if (!PM_GROW(s->row, s->rows, s->room, 64)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		r = &s->row[s->rows];
		take_row(r, q);
		if (take_key(&r->key, q, by, e) < 0) {
			rc = -1;
			break;
		}
		s->rows++;
	}
	pm_db_finish(q);
	if (rc == 0)
		arrange(s, by);
	return rc;
}

/* --- the worst -------------------------------------------------------------------------------- */

static char *text_of(struct pm_stmt *q, int i)
{
	const char *text = pm_db_text(q, i, NULL);

	return strdup(text ? text : "");
}

int pm_jobsums_worst(struct pm_jobsums_job **job, size_t *jobs, struct pm_db *db,
		     const struct pm_jobfilter *f, size_t n, struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	*jobs = 0;
	*job = calloc(n + 1, sizeof **job);
	if (!*job)
		return pm_err(e, "out of memory");
	/* Numbers first, as rows are long. */
	if (asprintf(&sql,
		     "SELECT j.id, j.start_us, " PM_JOBIDENTITY_SHOWN(
			     "j.") ", j.\"user\", j.name, x.allocated, x.used, x.failed FROM "
				   "(SELECT id, " ALLOCATED " AS allocated, " USED
				   " AS used, " FAILED " AS failed FROM job%s) x JOIN job j ON "
				   "j.id = x.id WHERE x.allocated > x.used ORDER BY x.allocated - "
				   "x.used DESC, x.id LIMIT ?",
		     f->where) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, pm_jobfilter_bind(f, q, 1), (int64_t)n);
	while (*jobs < n && (rc = pm_db_step(q, e)) > 0) {
		struct pm_jobsums_job *j = &(*job)[(*jobs)++];

		*j = (struct pm_jobsums_job){
			.id = pm_db_int(q, 0),
			.start_us = pm_db_is_null(q, 1) ? INT64_MIN : pm_db_int(q, 1),
			.jobid = text_of(q, 2),
			.user = text_of(q, 3),
			.name = text_of(q, 4),
			.allocated_us = pm_db_real(q, 5),
			.used_us = pm_db_real(q, 6),
			.failed = pm_db_int(q, 7) != 0,
		};
		if (!j->jobid || !j->user || !j->name) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

void pm_jobsums_free_jobs(struct pm_jobsums_job *job, size_t jobs)
{
	for (size_t i = 0; i < jobs; i++) {
		free(job[i].jobid);
		free(job[i].user);
		free(job[i].name);
	}
	free(job);
}

void pm_jobsums_free(struct pm_jobsums *s)
{
	for (size_t i = 0; i < s->rows; i++)
		free(s->row[i].key);
	free(s->row);
	*s = (struct pm_jobsums){ .row = NULL };
}
