/* Facts of a job: how the threads of its largest process shared the work. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/rows/query_row.h"

/* Sum up the threads with a CPU time of at least `from` us. Returns as pm_db_step(). */
static int sum_threads(struct pm_db *db, int64_t job, int64_t process, int64_t from, int64_t *n,
		       double *mean, int64_t least_most[2], struct pm_err *e)
{
	static const char sql[] =
		"SELECT count(*), avg(CAST(usertime + systemtime AS double precision)),"
		" min(usertime + systemtime), max(usertime + systemtime) FROM thread_row"
		" WHERE job_id = ? AND process_id = ? AND usertime + systemtime >= ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, process);
	pm_db_bind_int(q, 3, from);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		*n = pm_db_int(q, 0);
		*mean = pm_query_real(q, 1);
		least_most[0] = pm_query_int(q, 2);
		least_most[1] = pm_query_int(q, 3);
	}
	pm_db_finish(q);
	return rc;
}

int pm_query_sleeping(struct pm_db *db, int64_t job, int64_t process, int64_t *n, struct pm_err *e)
{
	static const char sql[] =
		"SELECT count(*) FROM thread_row WHERE job_id = ? AND process_id = ? AND"
		" vol_ctxsw > 0 AND vol_ctxsw >= (SELECT max(vol_ctxsw) FROM thread_row"
		" WHERE job_id = ? AND process_id = ?) / 10";
	struct pm_stmt *q;
	int rc;

	*n = 0;
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, process);
	pm_db_bind_int(q, 3, job);
	pm_db_bind_int(q, 4, process);
	rc = pm_db_step(q, e);
	if (rc > 0)
		*n = pm_db_int(q, 0);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_query_threads(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	struct pm_fact_threads *t = &f->of_threads;
	int64_t all[2] = { PM_UNKNOWN, PM_UNKNOWN }, working[2];

	if (t->process == 0)
		return 0;
	if (sum_threads(db, job, t->process, 0, &t->threads, &t->mean, all, e) < 0)
		return -1;
	t->least = all[0];
	t->most = all[1];
	if (t->threads == 0 || t->most <= 0)
		return 0;
	if (sum_threads(db, job, t->process, t->most / 10, &t->working, &t->mean_working, working,
			e) < 0)
		return -1;
	return pm_query_name(db, job, t->process, utf8, t->label, &t->pid, e);
}
