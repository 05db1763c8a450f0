/* The tables of `perfmon list` for people. */
#include "config.h"

#include "report/list_tables.h"

#include "report/cells.h"
#include "report/format.h"
#include "report/label.h"
#include "report/query.h"

#include <stdio.h>
#include <string.h>

/* Prepare sql, whose only parameters are the job and the limit. */
static int prepare(struct pm_db *db, const char *sql, int64_t job, int64_t limit,
		   struct pm_stmt **q, struct pm_err *e)
{
	if (pm_query_prepare(db, sql, job, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 2, limit);
	return 0;
}

/* End a table and its query. rc is the last step's. */
static int finish(struct pm_table *t, struct pm_stmt *q, int rc, const char *none, struct pm_err *e)
{
	bool empty = !t->started && t->cells == 0;

	pm_db_finish(q);
	if (rc < 0) {
		pm_table_discard(t);
		return -1;
	}
	if (empty)
		fprintf(t->page->f, "%s\n", none);
	else if (pm_table_finish(t) < 0)
		return pm_err(e, "print a table: out of memory");
	return 0;
}

int pm_list_jobs(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "#", true, 0, 0 },      { "Job", false, 10, 0 },     { "User", false, 0, 1 },
		{ "Start", false, 0, 3 }, { "Wall time", true, 0, 0 }, { "CPU time", true, 0, 0 },
		{ "Eff.", true, 0, 2 },   { "Peak mem.", true, 0, 5 }, { "Processes", true, 0, 4 },
		{ "Failed", true, 0, 0 }, { "Ended", false, 0, 0 },    { "Name", false, 16, 0 },
	};
	static const char sql[] =
		"SELECT id, CASE WHEN array_task = '' THEN jobid ELSE jobid || '_' || array_task "
		"END,"
		" \"user\", start_us, duration_us, cpu_time, efficiency, rssmax, processes, failed,"
		" running, exit_status, exit_signal, name FROM job WHERE CAST(? AS BIGINT) IN (0, "
		"id)"
		" ORDER BY start_us DESC, id DESC LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		char s[PM_FORMAT_MAX];

		pm_cells_id(&t, pm_query_int(q, 0));
		pm_cells_plain(&t, q, 1);
		pm_cells_plain(&t, q, 2);
		pm_table_cell(&t, pm_format_minute(s, pm_query_int(q, 3)));
		pm_cells_duration(&t, pm_query_int(q, 4));
		pm_cells_duration(&t, pm_query_int(q, 5));
		pm_cells_share(&t, pm_query_real(q, 6));
		pm_cells_bytes(&t, pm_format_scale(pm_query_int(q, 7), PM_KERNEL_KB));
		pm_cells_count(&t, pm_query_int(q, 8));
		pm_cells_count(&t, pm_query_int(q, 9));
		pm_table_cell(&t, pm_cells_ending(s, pm_query_int(q, 10) > 0 ? "running" : NULL,
						  pm_query_int(q, 11), pm_query_int(q, 12)));
		pm_cells_plain(&t, q, 13);
	}
	return finish(&t, q, rc, "no jobs", e);
}

int pm_list_processes(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		      struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Pid", true, 0, 0 },       { "Host", false, 8, 3 },
		{ "After", true, 0, 2 },     { "Wall time", true, 0, 0 },
		{ "CPU time", true, 0, 0 },  { "Peak mem.", true, 0, 0 },
		{ "Thr.", true, 0, 1 },      { "Ended", false, 0, 0 },
		{ "Command", false, 30, 0 },
	};
	static const char sql[] =
		"SELECT p.pid, h.hostname, p.start_us - j.start_us, p.duration_us, p.cpu_time,"
		" p.rssmax, p.numtids, p.end_reason, p.exitcode, p.exitsignal, p.exename, p.args"
		" FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
		" JOIN job j ON j.id = p.job_id WHERE p.job_id = ? ORDER BY p.id LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		char s[PM_COMMAND_MAX];

		pm_cells_id(&t, pm_query_int(q, 0));
		pm_cells_plain(&t, q, 1);
		pm_cells_duration(&t, pm_query_int(q, 2));
		pm_cells_duration(&t, pm_query_int(q, 3));
		pm_cells_duration(&t, pm_query_int(q, 4));
		pm_cells_bytes(&t, pm_format_scale(pm_query_int(q, 5), PM_KERNEL_KB));
		pm_cells_count(&t, pm_query_int(q, 6));
		pm_table_cell(&t, pm_cells_ending(s, pm_db_text(q, 7, NULL), pm_query_int(q, 8),
						  pm_query_int(q, 9)));
		pm_table_cell(&t, pm_label_command(s, sizeof s, pm_db_text(q, 10, NULL),
						   pm_db_text(q, 11, NULL), p->utf8));
	}
	return finish(&t, q, rc, "no processes", e);
}

int pm_list_threads(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		    struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Pid", true, 0, 0 },       { "Tid", true, 0, 0 },  { "After", true, 0, 3 },
		{ "Wall time", true, 0, 0 }, { "User", true, 0, 0 }, { "Kernel", true, 0, 0 },
		{ "Waited", true, 0, 2 },    { "CPU", true, 0, 1 },  { "Thread", false, 8, 0 },
		{ "Program", false, 20, 0 },
	};
	static const char sql[] =
		"SELECT p.pid, t.tid, t.start_us - j.start_us, t.duration_us, t.usertime,"
		" t.systemtime, t.time_waiting, t.processor, t.thread_name, p.exename, p.args"
		" FROM thread t JOIN process p ON p.job_id = t.job_id AND p.id = t.process_id"
		" JOIN job j ON j.id = t.job_id WHERE t.job_id = ?"
		" ORDER BY t.process_id, t.id LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		int64_t waited = pm_query_int(q, 6);
		char s[PM_LABEL_MAX];

		pm_cells_id(&t, pm_query_int(q, 0));
		pm_cells_id(&t, pm_query_int(q, 1));
		pm_cells_duration(&t, pm_query_int(q, 2));
		pm_cells_duration(&t, pm_query_int(q, 3));
		pm_cells_duration(&t, pm_query_int(q, 4));
		pm_cells_duration(&t, pm_query_int(q, 5));
		pm_cells_duration(&t, waited < 0 ? waited : waited / 1000);
		pm_cells_id(&t, pm_query_int(q, 7));
		pm_cells_field(&t, q, 8);
		pm_table_cell(&t, pm_label(s, pm_db_text(q, 9, NULL), pm_db_text(q, 10, NULL), NULL,
					   p->utf8));
	}
	return finish(&t, q, rc, "no threads", e);
}

int pm_list_counters(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		     struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Pid", true, 0, 0 },       { "Tid", true, 0, 1 },     { "Event", false, 12, 0 },
		{ "Value", true, 0, 0 },     { "Counted", true, 0, 2 }, { "Reason", false, 0, 3 },
		{ "Program", false, 12, 4 },
	};
	static const char sql[] =
		"SELECT p.pid, t.tid, c.name, c.value, c.ratio, c.reason, p.exename, p.args"
		" FROM counter c JOIN process p ON p.job_id = c.job_id AND p.id = c.process_id"
		" LEFT JOIN thread_row t ON t.job_id = c.job_id AND t.process_id = c.process_id"
		" AND t.id = c.thread_id WHERE c.job_id = ?"
		" ORDER BY c.process_id, c.thread_id, c.name LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		bool known = !pm_db_is_null(q, 3);
		char s[PM_LABEL_MAX];

		pm_cells_id(&t, pm_query_int(q, 0));
		if (pm_db_is_null(q, 1)) /* the process as a whole */
			pm_table_cell(&t, "");
		else
			pm_cells_id(&t, pm_query_int(q, 1));
		pm_cells_field(&t, q, 2);
		pm_cells_count(&t, pm_query_int(q, 3));
		if (known)
			pm_cells_share(&t, pm_db_is_null(q, 4) ? 1 : pm_db_real(q, 4));
		else
			pm_table_cell(&t, "");
		pm_cells_field(&t, q, 5);
		pm_table_cell(&t, pm_label(s, pm_db_text(q, 6, NULL), pm_db_text(q, 7, NULL), NULL,
					   p->utf8));
	}
	return finish(&t, q, rc, "no counters", e);
}

int pm_list_hosts(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		  struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Host", false, 12, 0 },      { "CPUs", true, 0, 0 },
		{ "Allowed", true, 0, 0 },     { "Memory", true, 0, 0 },
		{ "Processes", true, 0, 1 },   { "CPU time", true, 0, 0 },
		{ "Processor", false, 16, 3 }, { "Kernel", false, 10, 4 },
		{ "System", false, 10, 5 },
	};
	static const char sql[] =
		"SELECT h.hostname, h.cpus_online, h.cpus_allowed, h.memory_kb, COUNT(p.id),"
		" SUM(CAST(p.cpu_time AS DOUBLE PRECISION)), h.cpu_model, h.kernel, h.os"
		" FROM host h LEFT JOIN process p ON p.job_id = h.job_id AND p.host_id = h.id"
		" WHERE h.job_id = ? GROUP BY h.id, h.hostname, h.cpus_online, h.cpus_allowed,"
		" h.memory_kb, h.cpu_model, h.kernel, h.os ORDER BY h.id LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		pm_cells_plain(&t, q, 0);
		pm_cells_count(&t, pm_query_int(q, 1));
		pm_cells_count(&t, pm_query_int(q, 2));
		pm_cells_bytes(&t, pm_format_scale(pm_query_int(q, 3), PM_KERNEL_KB));
		pm_cells_count(&t, pm_query_int(q, 4));
		pm_cells_duration(&t, pm_query_sum(q, 5));
		pm_cells_plain(&t, q, 6);
		pm_cells_plain(&t, q, 7);
		pm_cells_plain(&t, q, 8);
	}
	return finish(&t, q, rc, "no hosts", e);
}

int pm_list_tags(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Of", false, 0, 0 },
		{ "Name", false, 10, 0 },
		{ "Value", false, 10, 0 },
		{ "Processes", true, 0, 0 },
	};
	/* Tags are inherited: one line per value, not one per process. */
	static const char sql[] =
		"SELECT CASE WHEN process_id = 0 THEN 'job' ELSE 'process' END, name, value,"
		" COUNT(*) FROM tag WHERE job_id = ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		bool of_job = strcmp(pm_db_text(q, 0, NULL), "job") == 0;

		pm_table_cell(&t, pm_db_text(q, 0, NULL));
		pm_cells_field(&t, q, 1);
		pm_cells_field(&t, q, 2);
		if (of_job)
			pm_table_cell(&t, "");
		else
			pm_cells_count(&t, pm_query_int(q, 3));
	}
	return finish(&t, q, rc, "no tags", e);
}

int pm_list_metrics(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		    struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Name", false, 0, 0 }, { "Unit", false, 0, 0 },     { "Kind", false, 0, 0 },
		{ "Of", false, 0, 1 },   { "Meaning", false, 44, 0 },
	};
	static const char sql[] =
		"SELECT name, unit, kind, CASE WHEN scope = 'THREAD' THEN 'thread'"
		" ELSE 'process' END, help FROM metric WHERE ? = 0 OR 1 = 1"
		" ORDER BY name LIMIT ?";
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, job, limit, &q, e) < 0)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0)
		for (int i = 0; i < 5; i++)
			pm_cells_plain(&t, q, i);
	return finish(&t, q, rc, "no metrics", e);
}
