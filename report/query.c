/* Facts of a job: identity, hosts, totals. */
#include "config.h"

#include "report/query.h"

#include "report/query_row.h"
#include "report/text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Value of a nanosecond column in microseconds. */
static int64_t from_ns(int64_t ns)
{
	return ns < 0 ? PM_UNKNOWN : ns / 1000;
}

static int read_job(struct pm_stmt *q, bool utf8, struct pm_facts *f)
{
	int i = 0;

	f->job = pm_query_int(q, i++);
	pm_query_field(f->cluster, sizeof f->cluster, q, i++, utf8);
	pm_query_field(f->user, sizeof f->user, q, i++, utf8);
	pm_query_field(f->jobid, sizeof f->jobid, q, i++, utf8);
	pm_query_field(f->name, sizeof f->name, q, i++, utf8);
	pm_query_field(f->array_task, sizeof f->array_task, q, i++, utf8);
	pm_query_field(f->scheduler, sizeof f->scheduler, q, i++, utf8);
	pm_query_field(f->queue, sizeof f->queue, q, i++, utf8);
	pm_query_field(f->account, sizeof f->account, q, i++, utf8);
	pm_query_field(f->problems, sizeof f->problems, q, i++, utf8);
	pm_query_field(f->script, sizeof f->script, q, i++, utf8);
	f->efficiency = pm_query_real(q, i++);
	f->coverage = pm_query_real(q, i++);
	f->rss = pm_format_scale(pm_query_int(q, i++), PM_KERNEL_KB);
	f->time_oncpu_us = from_ns(pm_query_int(q, i++));
	f->time_waiting_us = from_ns(pm_query_int(q, i++));

	/* The rest needs no conversion: in the order of the query. */
	int64_t *const plain[] = {
		&f->start_us,    &f->end_us,      &f->exit_status, &f->exit_signal,
		&f->hosts_count, &f->wall_us,     &f->cpu_us,      &f->user_us,
		&f->system_us,   &f->cpus,        &f->processes,   &f->threads,
		&f->ranks,       &f->rchar,       &f->wchar,       &f->syscr,
		&f->syscw,       &f->read_bytes,  &f->write_bytes, &f->cancelled_write_bytes,
		&f->minflt,      &f->majflt,      &f->failed,      &f->killed,
		&f->running,     &f->without_end, &f->reaped_only, &f->rejected,
		&f->late,        &f->charged_us,  &f->own_us,      &f->own_cpu_us,
		&f->blkio_us,    &f->excluded,    &f->excluded_us, &f->lost,
		&f->folded,      &f->folded_us,   &f->submit_us,   &f->epoch_us,
	};

	for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++)
		*plain[k] = pm_query_int(q, i++);
	return 0;
}

static int query_totals(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			struct pm_err *e)
{
	static const char sql[] =
		"SELECT id, cluster, \"user\", jobid, name, array_task, scheduler, queue, account,"
		" problems, script, efficiency, coverage, rssmax, time_oncpu, time_waiting,"
		" start_us, end_us, exit_status, exit_signal, hosts,"
		" duration_us, cpu_time, usertime, systemtime, cpus, processes,"
		" threads, ranks, rchar, wchar, syscr, syscw, read_bytes,"
		" write_bytes, cancelled_write_bytes, minflt, majflt, failed,"
		" killed, running, without_end, reaped_only, rejected, late,"
		" charged_cpu_us, own_overhead_us, own_cpu_us, delayacct_blkio_time,"
		" excluded, excluded_cpu_us, lost, folded, folded_cpu_us, submit_us, epoch_us"
		" FROM job WHERE id = ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = read_job(q, utf8, f);
	else if (rc == 0)
		rc = pm_err(e, "job %lld is not in the database", (long long)job);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int query_tags(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	size_t len = 0;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT name, value FROM tag WHERE job_id = ? AND process_id = 0"
			     " ORDER BY name LIMIT 20",
			     job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		char name[128], value[256];

		pm_query_field(name, sizeof name, q, 0, utf8);
		pm_query_field(value, sizeof value, q, 1, utf8);
		if (len + strlen(name) + strlen(value) + 4 < sizeof f->tags)
			len += (size_t)snprintf(f->tags + len, sizeof f->tags - len, "%s%s=%s",
						len ? ", " : "", name, value);
	}
	pm_db_finish(q);
	return rc;
}

/* What the job row does not hold: the largest process, short ones, unknown times. */
static int query_extremes(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			  struct pm_err *e)
{
	static const char largest[] =
		"SELECT exename, args, thread_name FROM process"
		" WHERE job_id = ? AND rssmax IS NOT NULL ORDER BY rssmax DESC, id LIMIT 1";
	static const char counts[] =
		"SELECT SUM(CASE WHEN duration_us < ? AND end_reason <> 'exec' THEN 1 ELSE 0 END),"
		" SUM(CASE WHEN duration_us < ? THEN CAST(cpu_time AS DOUBLE PRECISION) END),"
		" COUNT(*) - COUNT(cpu_time) FROM process WHERE job_id = ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, largest, job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0)
		pm_label(f->rss_label, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
			 pm_db_text(q, 2, NULL), utf8);
	pm_db_finish(q);
	if (rc < 0 || pm_query_prepare(db, counts, PM_FACTS_SHORT_US, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, PM_FACTS_SHORT_US);
	pm_db_bind_int(q, 3, job);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		f->short_runs = pm_query_int(q, 0);
		f->short_cpu_us = pm_query_sum(q, 1);
		f->unknown_cpu = pm_query_int(q, 2);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Why lines were lost, the most frequent reason first. */
static int query_lost(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t len = 0;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT reason, CAST(sum(lines) AS bigint) FROM lost WHERE job_id = ?"
			     " GROUP BY reason ORDER BY 2 DESC, 1",
			     job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		char reason[64];

		pm_query_field(reason, sizeof reason, q, 0, false);
		if (len + strlen(reason) + 24 < sizeof f->lost_reasons)
			len += (size_t)snprintf(f->lost_reasons + len, sizeof f->lost_reasons - len,
						"%s%s %lld", len ? ", " : "", reason,
						(long long)pm_db_int(q, 1));
	}
	pm_db_finish(q);
	return rc;
}

static int query_job(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (query_totals(db, job, utf8, f, e) < 0 || pm_query_hosts(db, job, utf8, f, e) < 0 ||
	    query_tags(db, job, utf8, f, e) < 0 || query_lost(db, job, f, e) < 0)
		return -1;
	return query_extremes(db, job, utf8, f, e);
}

int pm_query_facts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (query_job(db, job, utf8, f, e) < 0 || pm_query_programs(db, job, utf8, f, e) < 0 ||
	    pm_query_failures(db, job, utf8, f, e) < 0 || pm_query_line(db, job, utf8, f, e) < 0 ||
	    pm_query_counters(db, job, utf8, f, e) < 0 ||
	    pm_query_events(db, job, utf8, f, e) < 0 || pm_query_nodes(db, job, f, e) < 0 ||
	    pm_query_marks(db, job, utf8, f, e) < 0)
		return -1;
	return pm_query_samples(db, job, f, e);
}
