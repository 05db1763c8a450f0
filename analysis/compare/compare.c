/* The jobs of a comparison, and the earlier ones that tell the noise. */
#include "config.h"

#include "analysis/compare/compare.h"

#include "analysis/compare/store.h"
#include "analysis/select/jobfilter.h"
#include "analysis/select/jobgroup.h"
#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN INT64_MIN

/* `job`: the number of the job; a parameter, where there is one job, has PostgreSQL read one
 * partition. */
#define TAG(name, job)                                                                             \
	"(SELECT value FROM tag_set WHERE tag_set.job_id = " job " AND tag_set.id = 0 AND "        \
	"tag_set.name = '" name "')"

/* clang-format off */
#define COLUMNS(job)                                                                               \
	"SELECT id, start_us, hosts, cpus, coalesce(running, 0), CASE WHEN " PM_SCHEMA_JOB_FAILED  \
	" THEN 1 ELSE 0 END, " PM_JOBIDENTITY_SHOWN("") ", \"user\", name, "                       \
	TAG("exp_name", job) ", " TAG("exp_component", job) " FROM job"
/* clang-format on */
enum {
	AT_ID,
	AT_START,
	AT_HOSTS,
	AT_CPUS,
	AT_RUNNING,
	AT_FAILED,
	AT_JOBID,
	AT_USER,
	AT_NAME,
	AT_EXPERIMENT,
	AT_COMPONENT
};

static int64_t int_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? UNKNOWN : pm_db_int(q, i);
}

static char *text_of(struct pm_stmt *q, int i)
{
	const char *text = pm_db_text(q, i, NULL);

	return strdup(text ? text : "");
}

static void free_job(struct pm_compare_job *j)
{
	free(j->jobid);
	free(j->user);
	free(j->name);
	free(j->group);
}

/* Take the job of the current row. Returns 0, or -1 with e filled and nothing to be freed. */
static int take_job(struct pm_compare_job *j, struct pm_stmt *q, enum pm_difference_side side,
		    struct pm_err *e)
{
	const bool named = pm_db_text(q, AT_NAME, NULL) != NULL;

	*j = (struct pm_compare_job){
		.id = pm_db_int(q, AT_ID),
		.start_us = int_of(q, AT_START),
		.side = side,
		.jobid = text_of(q, AT_JOBID),
		.user = text_of(q, AT_USER),
		.name = named ? text_of(q, AT_NAME) : NULL,
		.group = pm_jobgroup_make(pm_db_text(q, AT_NAME, NULL),
					  pm_db_text(q, AT_EXPERIMENT, NULL),
					  pm_db_text(q, AT_COMPONENT, NULL)),
		.hosts = int_of(q, AT_HOSTS),
		.cpus = int_of(q, AT_CPUS),
		.running = pm_db_int(q, AT_RUNNING) != 0,
		.failed = pm_db_int(q, AT_FAILED) != 0,
	};
	if (j->jobid && j->user && (!named || j->name) && j->group)
		return 0;
	free_job(j);
	return pm_err(e, "out of memory");
}

/* --- the sides -------------------------------------------------------------------------------- */

static int read_side(struct pm_compare *c, size_t *room, struct pm_db *db, const int64_t *id,
		     size_t n, enum pm_difference_side side, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(db, COLUMNS("?") " WHERE id = ?", &q, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++) {
		pm_db_reset(q);
		for (int k = 1; k <= 3; k++)
			pm_db_bind_int(q, k, id[i]);
		rc = pm_db_step(q, e);
		if (rc == 0)
			rc = pm_err(e, "job #%" PRId64 " is gone", id[i]);
		else if (rc > 0 && !PM_GROW(c->job, c->jobs, *room, 16))
			rc = pm_err(e, "out of memory");
		else if (rc > 0)
			rc = take_job(&c->job[c->jobs], q, side, e);
		c->jobs += rc == 0;
	}
	pm_db_finish(q);
	return rc;
}

/* --- earlier jobs ----------------------------------------------------------------------------- */

/* Whether all jobs are comparable, and of one size. */
static bool are_comparable(const struct pm_compare *c)
{
	const struct pm_compare_job *first = &c->job[0];

	if (!*first->group)
		return false;
	for (size_t i = 1; i < c->jobs; i++)
		if (strcmp(c->job[i].group, first->group) != 0 || c->job[i].hosts != first->hosts ||
		    c->job[i].cpus != first->cpus)
			return false;
	return true;
}

/* A condition on the size, of which NULL is one. */
static void write_size(char *to, size_t size, const char *column, int64_t v)
{
	if (v == UNKNOWN)
		snprintf(to, size, " AND %s IS NULL", column);
	else
		snprintf(to, size, " AND %s = %" PRId64, column, v);
}

/* Add the newest comparable jobs that started before all of the sides and did not fail. */
static int read_earlier(struct pm_compare *c, size_t *room, struct pm_db *db, struct pm_err *e)
{
	const struct pm_compare_job first = c->job[0];
	int64_t before_us = INT64_MAX;
	struct pm_jobfilter f;
	struct pm_stmt *q = NULL;
	char hosts[64], cpus[64], *sql = NULL;
	int rc;

	for (size_t i = 0; i < c->jobs; i++)
		if (c->job[i].start_us < before_us)
			before_us = c->job[i].start_us;
	if (before_us == UNKNOWN)
		return 0;
	write_size(hosts, sizeof hosts, "hosts", first.hosts);
	write_size(cpus, sizeof cpus, "cpus", first.cpus);
	rc = pm_jobfilter_group(&f, first.group, PM_COMPARE_EARLIER, e);
	if (rc == 0 && asprintf(&sql,
				COLUMNS("job.id") "%s AND start_us < %" PRId64
						  "%s%s AND coalesce(running, 0) = 0"
						  " AND NOT coalesce(" PM_SCHEMA_JOB_FAILED
						  ", 1 = 0) ORDER BY %s"
						  " LIMIT %d",
				f.where, before_us, hosts, cpus, f.order, PM_COMPARE_EARLIER) < 0)
		rc = pm_err(e, "out of memory");
	if (rc == 0)
		rc = pm_db_prepare(db, sql, &q, e);
	if (rc == 0)
		pm_jobfilter_bind(&f, q, 1);
	while (rc == 0 && (rc = pm_db_step(q, e)) > 0) {
		rc = PM_GROW(c->job, c->jobs, *room, 16)
			     ? take_job(&c->job[c->jobs], q, PM_DIFFERENCE_EARLIER, e)
			     : pm_err(e, "out of memory");
		if (rc == 0 && strcmp(c->job[c->jobs].group, first.group) != 0)
			free_job(&c->job[c->jobs]);
		else
			c->jobs += rc == 0;
	}
	pm_db_finish(q);
	pm_jobfilter_free(&f);
	free(sql);
	return rc < 0 ? -1 : 0;
}

/* --- all -------------------------------------------------------------------------------------- */

static int by_side(const void *a, const void *b)
{
	const struct pm_compare_job *x = a, *y = b;

	if (x->side != y->side)
		return (x->side > y->side) - (x->side < y->side);
	if (x->start_us != y->start_us)
		return (x->start_us > y->start_us) - (x->start_us < y->start_us);
	return (x->id > y->id) - (x->id < y->id);
}

int pm_compare_read(struct pm_compare *c, struct pm_db *db, const int64_t *a, size_t n,
		    const int64_t *b, size_t m, struct pm_err *e)
{
	size_t room = 0;

	*c = (struct pm_compare){ .jobs = 0 };
	if (read_side(c, &room, db, a, n, PM_DIFFERENCE_A, e) < 0 ||
	    read_side(c, &room, db, b, m, PM_DIFFERENCE_B, e) < 0)
		return -1;
	c->comparable = are_comparable(c);
	if (c->comparable && read_earlier(c, &room, db, e) < 0)
		return -1;
	qsort(c->job, c->jobs, sizeof *c->job, by_side);
	for (size_t i = 0; i < c->jobs; i++)
		c->of[c->job[i].side]++;
	c->store = pm_compare_store_new(c->jobs);
	if (!c->store)
		return pm_err(e, "out of memory");
	if (pm_compare_read_figures(c, db, e) < 0 || pm_compare_read_facts(c, db, e) < 0 ||
	    pm_compare_judge(c, e) < 0)
		return -1;
	return pm_compare_choose_facts(c, e);
}

void pm_compare_free(struct pm_compare *c)
{
	for (size_t i = 0; i < c->jobs; i++)
		free_job(&c->job[i]);
	free(c->job);
	free(c->figure);
	free(c->difference);
	free(c->fact);
	pm_compare_store_free(c->store);
	*c = (struct pm_compare){ .jobs = 0 };
}
