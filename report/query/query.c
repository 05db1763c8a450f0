/* Facts of a job: identity, hosts, totals. */
#include "config.h"

#include "report/query/query.h"

#include "common/text.h"
#include "db/erase.h"
#include "report/pass/pass.h"
#include "report/rows/query_row.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Convert a nanosecond column to microseconds. */
static int64_t from_ns(int64_t ns)
{
	return ns < 0 ? PM_UNKNOWN : ns / 1000;
}

/* Conversion of a column of table job to a fact. */
enum form { TEXT, INT, FLAG, REAL, KILOBYTES, NANOSECONDS };

#define PLACE(fact) offsetof(struct pm_facts, fact), sizeof((struct pm_facts *)NULL)->fact

/* Columns of the job's row and the facts that they become; both the query and the code that reads
 * its result use this table. */
static const struct column {
	const char *name;
	enum form form;
	size_t at, size;
} column[] = {
	{ "id", INT, PLACE(job) },
	{ "cluster", TEXT, PLACE(cluster) },
	{ "\"user\"", TEXT, PLACE(user) },
	{ "jobid", TEXT, PLACE(jobid) },
	{ "name", TEXT, PLACE(name) },
	{ "array_task", TEXT, PLACE(array_task) },
	{ "scheduler", TEXT, PLACE(scheduler) },
	{ "queue", TEXT, PLACE(queue) },
	{ "account", TEXT, PLACE(account) },
	{ "problems", TEXT, PLACE(problems) },
	{ "CASE WHEN " PM_ERASE_GONE_PROCESSES " THEN 1 ELSE 0 END", FLAG, PLACE(retired) },
	{ "script", TEXT, PLACE(script) },
	{ "submit_us", INT, PLACE(submit_us) },
	{ "epoch_us", INT, PLACE(epoch_us) },
	{ "start_us", INT, PLACE(start_us) },
	{ "end_us", INT, PLACE(end_us) },
	{ "exit_status", INT, PLACE(exit_status) },
	{ "exit_signal", INT, PLACE(exit_signal) },
	{ "hosts", INT, PLACE(hosts_count) },
	{ "duration_us", INT, PLACE(wall_us) },
	{ "cpu_time", INT, PLACE(cpu_us) },
	{ "usertime", INT, PLACE(user_us) },
	{ "systemtime", INT, PLACE(system_us) },
	{ "cpus", INT, PLACE(cpus) },
	{ "efficiency", REAL, PLACE(efficiency) },
	{ "processes", INT, PLACE(processes) },
	{ "threads", INT, PLACE(threads) },
	{ "ranks", INT, PLACE(ranks) },
	{ "rssmax", KILOBYTES, PLACE(rss) },
	{ "rchar", INT, PLACE(rchar) },
	{ "wchar", INT, PLACE(wchar) },
	{ "syscr", INT, PLACE(syscr) },
	{ "syscw", INT, PLACE(syscw) },
	{ "read_bytes", INT, PLACE(read_bytes) },
	{ "write_bytes", INT, PLACE(write_bytes) },
	{ "cancelled_write_bytes", INT, PLACE(cancelled_write_bytes) },
	{ "minflt", INT, PLACE(minflt) },
	{ "majflt", INT, PLACE(majflt) },
	{ "time_oncpu", NANOSECONDS, PLACE(time_oncpu_us) },
	{ "time_waiting", NANOSECONDS, PLACE(time_waiting_us) },
	{ "gpu_time", NANOSECONDS, PLACE(gpu_us) },
	{ "gpu_cycles", INT, PLACE(gpu_cycles) },
	{ "gpu_memory", KILOBYTES, PLACE(gpu_memory) },
	{ "delayacct_blkio_time", INT, PLACE(blkio_us) }, /* in clock ticks of the hosts;
							   * pm_query_hosts() converts it */
	{ "vol_ctxsw", INT, PLACE(vol_ctxsw) },
	{ "failed", INT, PLACE(failed) },
	{ "killed", INT, PLACE(killed) },
	{ "running", INT, PLACE(running) },
	{ "without_end", INT, PLACE(without_end) },
	{ "reaped_only", INT, PLACE(reaped_only) },
	{ "rejected", INT, PLACE(rejected) },
	{ "late", INT, PLACE(late) },
	{ "coverage", REAL, PLACE(coverage) },
	{ "charged_cpu_us", INT, PLACE(charged_us) },
	{ "excluded", INT, PLACE(excluded) },
	{ "excluded_cpu_us", INT, PLACE(excluded_us) },
	{ "folded", INT, PLACE(folded) },
	{ "folded_cpu_us", INT, PLACE(folded_us) },
	{ "lost", INT, PLACE(lost) },
	{ "own_overhead_us", INT, PLACE(own_us) },
	{ "own_cpu_us", INT, PLACE(own_cpu_us) },
};

#define COLUMNS (sizeof column / sizeof column[0])

static void read_column(struct pm_stmt *q, int i, bool utf8, struct pm_facts *f)
{
	const struct column *c = &column[i];
	void *to = (char *)f + c->at;

	switch (c->form) {
	case TEXT:
		pm_query_field(to, c->size, q, i, utf8);
		break;
	case FLAG:
		*(bool *)to = pm_query_int(q, i) == 1;
		break;
	case REAL:
		*(double *)to = pm_query_real(q, i);
		break;
	case INT:
		*(int64_t *)to = pm_query_int(q, i);
		break;
	case KILOBYTES:
		*(int64_t *)to = pm_format_scale(pm_query_int(q, i), PM_KERNEL_KB);
		break;
	case NANOSECONDS:
		*(int64_t *)to = from_ns(pm_query_int(q, i));
		break;
	}
}

static int query_totals(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			struct pm_err *e)
{
	char sql[2048] = "SELECT ";
	struct pm_stmt *q;
	size_t len = strlen(sql);
	int rc;

	for (size_t i = 0; i < COLUMNS && len < sizeof sql; i++)
		len += (size_t)snprintf(sql + len, sizeof sql - len, "%s%s", i ? ", " : "",
					column[i].name);
	if (len < sizeof sql)
		len += (size_t)snprintf(sql + len, sizeof sql - len, " FROM job WHERE id = ?");
	if (len >= sizeof sql)
		return pm_err(e, "the query of a job is too long");
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	for (size_t i = 0; i < COLUMNS && rc > 0; i++)
		read_column(q, (int)i, utf8, f);
	if (rc == 0)
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
			     "SELECT name, value FROM tag_set WHERE job_id = ? AND id = 0"
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

/* The reasons why record lines were lost, most frequent first. */
static int query_lost(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t len = 0;
	int rc;

	if (pm_query_prepare(
		    db,
		    "SELECT reason, sum(CAST(lines AS double precision)) FROM lost WHERE job_id = ?"
		    " GROUP BY reason ORDER BY 2 DESC, 1",
		    job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		char reason[64];

		pm_query_field(reason, sizeof reason, q, 0, false);
		if (len + strlen(reason) + 24 < sizeof f->lost_reasons)
			len += (size_t)snprintf(f->lost_reasons + len, sizeof f->lost_reasons - len,
						"%s%s %.0f", len ? ", " : "", reason,
						pm_query_real(q, 1));
	}
	pm_db_finish(q);
	return rc;
}

/* Slurm tasks that ran unrecorded, on all hosts. */
static int query_unrecorded(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT sum(CAST(tasks_unrecorded AS double precision)) FROM host"
			     " WHERE job_id = ?",
			     job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0)
		f->tasks_unrecorded = pm_query_sum(q, 0);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int query_job(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (query_totals(db, job, utf8, f, e) < 0 || pm_query_hosts(db, job, utf8, f, e) < 0 ||
	    query_tags(db, job, utf8, f, e) < 0 || query_lost(db, job, f, e) < 0)
		return -1;
	return query_unrecorded(db, job, f, e);
}

/* Extend a job that was not closed to the time of its last sample. */
static int query_open(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (!f->open || f->start_us < 0)
		return 0;
	if (pm_query_prepare(db, "SELECT max(end_us) FROM series_summary WHERE job_id = ?", job, &q,
			     e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0 && !pm_db_is_null(q, 0) && pm_db_int(q, 0) > f->end_us) {
		f->end_us = pm_db_int(q, 0);
		f->wall_us = pm_format_since(f->end_us, f->start_us);
		f->efficiency = NAN;
		if (f->cpu_us >= 0 && f->cpus > 0 && f->wall_us > 0)
			f->efficiency = (double)f->cpu_us / ((double)f->wall_us * (double)f->cpus);
	}
	pm_db_finish(q);
	/* Running processes have used CPU time that is not recorded yet. */
	if (f->running > 0)
		f->efficiency = NAN;
	return rc < 0 ? -1 : 0;
}

int pm_query_facts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (query_job(db, job, utf8, f, e) < 0 || query_open(db, job, f, e) < 0 ||
	    pm_query_pass(db, job, utf8, f, e) < 0 || pm_query_threads(db, job, utf8, f, e) < 0 ||
	    pm_query_programs(db, job, utf8, f, e) < 0 ||
	    pm_query_counters(db, job, utf8, f, e) < 0 ||
	    pm_query_events(db, job, utf8, f, e) < 0 || pm_query_nodes(db, job, f, e) < 0 ||
	    pm_query_energy(db, job, f, e) < 0 || pm_query_gpus(db, job, utf8, f, e) < 0 ||
	    pm_query_request(db, job, f, e) < 0 || pm_query_causes(db, job, f, e) < 0 ||
	    pm_query_gpu_programs(db, job, utf8, f, e) < 0 ||
	    pm_query_ranks(db, job, utf8, f, e) < 0 || pm_query_marks(db, job, utf8, f, e) < 0)
		return -1;
	return pm_query_samples(db, job, f, e);
}

int pm_query_brief(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (query_job(db, job, utf8, f, e) < 0 || query_open(db, job, f, e) < 0 ||
	    pm_query_programs(db, job, utf8, f, e) < 0 || pm_query_nodes(db, job, f, e) < 0 ||
	    pm_query_energy(db, job, f, e) < 0 || pm_query_gpus(db, job, utf8, f, e) < 0)
		return -1;
	return pm_query_request(db, job, f, e) < 0 || pm_query_causes(db, job, f, e) < 0 ? -1 : 0;
}
