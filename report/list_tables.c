/* The tables of `perfmon list` for people. */
#include "config.h"

#include "report/list_tables.h"

#include "common/job/jobidentity.h"
#include "common/record/processname.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/query/query_row.h"

#include <stdio.h>
#include <stdlib.h>

/* A column of a table: its layout, and the function that writes its cell from the query's columns,
 * starting with number `from`. */
struct column {
	struct pm_table_column look;
	void (*cell)(struct pm_table *t, struct pm_stmt *q, int from);
	int from;
};

struct pm_list_table {
	const char *sql; /* rows of a job, its parameter */
	const char *all; /* see pm_list_prepare(); NULL where there must be a job */
	const char *none;
	/* What follows the table; NULL: nothing. */
	int (*more)(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		    struct pm_err *e);
	struct column column[PM_TABLE_COLUMNS]; /* ends at the first column without a title */
};

static void cell_id(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_id(t, pm_query_int(q, from));
}

/* For ids that only some rows have. */
static void id_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		cell_id(t, q, from);
}

static void cell_count(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_count(t, pm_query_int(q, from));
}

static void count_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		cell_count(t, q, from);
}

static void count_if_some(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_query_int(q, from) > 0)
		cell_count(t, q, from);
	else
		pm_table_cell(t, "");
}

static void cell_duration(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_duration(t, pm_query_int(q, from));
}

static void energy_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_FORMAT_MAX];

	pm_table_cell(t, pm_db_is_null(q, from) ? "" : pm_format_joules(s, pm_db_int(q, from)));
}

static void power_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_FORMAT_MAX];

	pm_table_cell(t, pm_db_is_null(q, from) ? "" : pm_format_power(s, pm_db_int(q, from)));
}

static void duration_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		cell_duration(t, q, from);
}

static void reason_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		pm_cell_plain(t, q, from);
}

static void duration_sum(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_duration(t, pm_query_sum(q, from));
}

static void cell_kilobytes(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_bytes(t, pm_format_scale(pm_query_int(q, from), PM_KERNEL_KB));
}

static void kilobytes_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		cell_kilobytes(t, q, from);
}

static void cell_share(struct pm_table *t, struct pm_stmt *q, int from)
{
	pm_cell_share(t, pm_query_real(q, from));
}

static void share_if_any(struct pm_table *t, struct pm_stmt *q, int from)
{
	if (pm_db_is_null(q, from))
		pm_table_cell(t, "");
	else
		cell_share(t, q, from);
}

static void cell_number(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_FORMAT_MAX];

	if (pm_db_is_null(q, from))
		snprintf(s, sizeof s, "unknown");
	else
		snprintf(s, sizeof s, "%.6g", pm_db_real(q, from));
	pm_table_cell(t, s);
}

static void cell_minute(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_FORMAT_MAX];

	pm_table_cell(t, pm_format_minute(s, pm_query_int(q, from)));
}

/* Three columns: reason of the end, exit status, signal. */
static void cell_ending(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_FORMAT_MAX];

	pm_table_cell(t, pm_cell_ending(s, pm_db_text(q, from, NULL), pm_query_int(q, from + 1),
					pm_query_int(q, from + 2)));
}

/* Two columns: name and arguments of a program. */
static void cell_command(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_COMMAND_MAX];

	pm_table_cell(t, pm_processname_command(s, sizeof s, pm_db_text(q, from, NULL),
						pm_db_text(q, from + 1, NULL), t->page->utf8));
}

static void cell_program(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[PM_PROCESSNAME_MAX];

	pm_table_cell(t, pm_processname(s, pm_db_text(q, from, NULL), pm_db_text(q, from + 1, NULL),
					NULL, t->page->utf8));
}

#define SHOWN PM_JOBIDENTITY_SHOWN("")

#define JOBS                                                                                       \
	"SELECT id, " SHOWN ", \"user\", start_us, duration_us, cpu_time, efficiency, rssmax,"     \
	" processes, failed, CASE WHEN running > 0 THEN 'running' END, exit_status, exit_signal,"  \
	" name, folded, lost, energy_uj FROM job"

const struct pm_list_table pm_list_jobs = {
	JOBS " WHERE id = ?",
	JOBS,
	"no jobs",
	NULL,
	{
		{ { "#", true, 0, 0 }, cell_id, 0 },
		{ { "Job", false, 10, 0 }, pm_cell_plain, 1 },
		{ { "User", false, 0, 1 }, pm_cell_plain, 2 },
		{ { "Start", false, 0, 3 }, cell_minute, 3 },
		{ { "Wall time", true, 0, 0 }, cell_duration, 4 },
		{ { "CPU time", true, 0, 0 }, cell_duration, 5 },
		{ { "Eff.", true, 0, 2 }, cell_share, 6 },
		{ { "Peak mem.", true, 0, 5 }, cell_kilobytes, 7 },
		{ { "Processes", true, 0, 4 }, cell_count, 8 },
		{ { "Folded", true, 0, -1 }, count_if_some, 14 },
		{ { "Lost lines", true, 0, -1 }, count_if_some, 15 },
		{ { "Energy", true, 0, -1 }, energy_if_any, 16 },
		{ { "Failed", true, 0, 0 }, cell_count, 9 },
		{ { "Ended", false, 0, 0 }, cell_ending, 10 },
		{ { "Name", false, 16, 0 }, pm_cell_plain, 13 },
	},
};

const struct pm_list_table pm_list_processes = {
	"SELECT p.pid, h.hostname, p.start_us - j.start_us, p.duration_us, p.cpu_time,"
	" p.rssmax, p.numtids, p.end_reason, p.exitcode, p.exitsignal, p.exename, p.args,"
	" p.gpu_time / 1000, p.gpu_memory"
	" FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	" JOIN job j ON j.id = p.job_id WHERE p.job_id = ? ORDER BY p.id",
	NULL,
	"no processes",
	NULL,
	{
		{ { "Pid", true, 0, 0 }, cell_id, 0 },
		{ { "Host", false, 8, 3 }, pm_cell_plain, 1 },
		{ { "After", true, 0, 2 }, cell_duration, 2 },
		{ { "Wall time", true, 0, 0 }, cell_duration, 3 },
		{ { "CPU time", true, 0, 0 }, cell_duration, 4 },
		{ { "Peak mem.", true, 0, 0 }, cell_kilobytes, 5 },
		{ { "GPU time", true, 0, -1 }, duration_if_any, 12 },
		{ { "GPU mem.", true, 0, -1 }, kilobytes_if_any, 13 },
		{ { "Thr.", true, 0, 1 }, cell_count, 6 },
		{ { "Ended", false, 0, 0 }, cell_ending, 7 },
		{ { "Command", false, 30, 0 }, cell_command, 10 },
	},
};

const struct pm_list_table pm_list_threads = {
	"SELECT p.pid, t.tid, t.start_us - j.start_us, t.duration_us, t.usertime,"
	" t.systemtime, t.time_waiting / 1000, t.processor, t.thread_name, p.exename, p.args"
	" FROM thread t JOIN process p ON p.job_id = t.job_id AND p.id = t.process_id"
	" JOIN job j ON j.id = t.job_id WHERE t.job_id = ?"
	" ORDER BY t.process_id, t.id",
	NULL,
	"no threads",
	NULL,
	{
		{ { "Pid", true, 0, 0 }, cell_id, 0 },
		{ { "Tid", true, 0, 0 }, cell_id, 1 },
		{ { "After", true, 0, 3 }, cell_duration, 2 },
		{ { "Wall time", true, 0, 0 }, cell_duration, 3 },
		{ { "User", true, 0, 0 }, cell_duration, 4 },
		{ { "Kernel", true, 0, 0 }, cell_duration, 5 },
		{ { "Waited", true, 0, 2 }, cell_duration, 6 },
		{ { "CPU", true, 0, 1 }, cell_id, 7 },
		{ { "Thread", false, 8, 0 }, pm_cell_field, 8 },
		{ { "Program", false, 20, 0 }, cell_program, 9 },
	},
};

/* A counter of a whole process has no thread; an unknown counter has no share. */
const struct pm_list_table pm_list_counters = {
	"SELECT p.pid, t.tid,"
	" c.name || CASE c.scope WHEN 'node' THEN ' (of the node)' WHEN 'rate' THEN ' (a rate)' "
	"ELSE '' END,"
	" c.value, CASE WHEN c.value IS NOT NULL THEN COALESCE(c.ratio, 1) END, c.reason, "
	"p.exename,"
	" p.args"
	" FROM counter c JOIN process p ON p.job_id = c.job_id AND p.id = c.process_id"
	" LEFT JOIN thread_row t ON t.job_id = c.job_id AND t.process_id = c.process_id"
	" AND t.id = c.thread_id WHERE c.job_id = ?"
	" ORDER BY c.process_id, c.thread_id, c.name",
	NULL,
	"no counters",
	NULL,
	{
		{ { "Pid", true, 0, 0 }, cell_id, 0 },
		{ { "Tid", true, 0, 1 }, id_if_any, 1 },
		{ { "Event", false, 12, 0 }, pm_cell_field, 2 },
		{ { "Value", true, 0, 0 }, cell_count, 3 },
		{ { "Counted", true, 0, 2 }, share_if_any, 4 },
		{ { "Reason", false, 0, 3 }, pm_cell_field, 5 },
		{ { "Program", false, 12, 4 }, cell_program, 6 },
	},
};

const struct pm_list_table pm_list_hosts = {
	"SELECT h.hostname, h.cpus_online, h.cpus_allowed, h.memory_kb, COUNT(p.id),"
	" SUM(CAST(p.cpu_time AS DOUBLE PRECISION)), h.cpu_model, h.kernel, h.os,"
	" h.cpus_allocated, h.coverage, h.energy_uj, h.energy_mean_uw"
	" FROM host h LEFT JOIN process p ON p.job_id = h.job_id AND p.host_id = h.id"
	" WHERE h.job_id = ? GROUP BY h.id, h.hostname, h.cpus_online, h.cpus_allowed,"
	" h.memory_kb, h.cpu_model, h.kernel, h.os, h.cpus_allocated, h.coverage,"
	" h.energy_uj, h.energy_mean_uw ORDER BY h.id",
	NULL,
	"no hosts",
	pm_list_gpus,
	{
		{ { "Host", false, 12, 0 }, pm_cell_plain, 0 },
		{ { "CPUs", true, 0, 0 }, cell_count, 1 },
		{ { "Allowed", true, 0, 0 }, cell_count, 2 },
		{ { "Allocated", true, 0, 6 }, count_if_any, 9 },
		{ { "Memory", true, 0, 0 }, cell_kilobytes, 3 },
		{ { "Processes", true, 0, 1 }, cell_count, 4 },
		{ { "CPU time", true, 0, 0 }, duration_sum, 5 },
		{ { "Coverage", true, 0, 2 }, cell_share, 10 },
		{ { "Energy", true, 0, -1 }, energy_if_any, 11 },
		{ { "Mean power", true, 0, -1 }, power_if_any, 12 },
		{ { "Processor", false, 16, 3 }, pm_cell_plain, 6 },
		{ { "Kernel", false, 10, 4 }, pm_cell_plain, 7 },
		{ { "System", false, 10, 5 }, pm_cell_plain, 8 },
	},
};

/* Each value in a node's row becomes a line. */
const struct pm_list_table pm_list_summaries = {
	"WITH s AS (SELECT h.hostname, n.* FROM node_summary n JOIN host h ON h.job_id = n.job_id"
	" AND h.id = n.host_id WHERE n.job_id = ?)"
#define PM_NODESUMMARY(id, unit, title, main, help)                                                \
	" SELECT hostname, '" #id "', " #id ", '" unit "', host_id FROM s UNION ALL"
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
	" SELECT hostname, 'samples', CAST(samples AS DOUBLE PRECISION), '', host_id FROM s"
	" ORDER BY 5, 2",
	NULL,
	"no summaries",
	NULL,
	{
		{ { "Host", false, 10, 0 }, pm_cell_plain, 0 },
		{ { "Summary", false, 20, 0 }, pm_cell_plain, 1 },
		{ { "Value", true, 0, 0 }, cell_number, 2 },
		{ { "Unit", false, 0, 1 }, pm_cell_plain, 3 },
	},
};

const struct pm_list_table pm_list_energy = {
	"SELECT h.hostname, e.part, e.source, e.meter, e.energy_uj, e.mean_uw, e.peak_uw,"
	" CASE WHEN e.energy_uj IS NULL THEN NULL ELSE e.covered_us END, e.lost,"
	" CASE WHEN e.energy_uj IS NULL THEN '' WHEN e.in_total = 1 THEN 'yes' ELSE 'no' END,"
	" e.method, e.reason"
	" FROM energy e JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id"
	" WHERE e.job_id = ? ORDER BY e.host_id, e.id",
	NULL,
	"no energy",
	NULL,
	{
		{ { "Host", false, 8, 0 }, pm_cell_plain, 0 },
		{ { "Part", false, 0, 0 }, pm_cell_plain, 1 },
		{ { "Source", false, 0, 4 }, pm_cell_plain, 2 },
		{ { "Meter", false, 10, 0 }, pm_cell_field, 3 },
		{ { "Energy", true, 0, 0 }, energy_if_any, 4 },
		{ { "Added", false, 0, 0 }, pm_cell_plain, 9 },
		{ { "Mean", true, 0, 1 }, power_if_any, 5 },
		{ { "Peak", true, 0, 3 }, power_if_any, 6 },
		{ { "In", true, 0, 2 }, duration_if_any, 7 },
		{ { "Lost", true, 0, 5 }, cell_count, 8 },
		{ { "By", false, 0, 6 }, pm_cell_plain, 10 },
		{ { "Unknown", false, 0, -1 }, reason_if_any, 11 },
	},
};

const struct pm_list_table pm_list_phases = {
	"SELECT p.name, h.hostname, p.begin_us - j.start_us, p.duration_us,"
	" CASE p.ended WHEN 0 THEN 'not ended' WHEN 1 THEN"
	" CASE WHEN p.begin_us IS NULL THEN 'not begun' ELSE '' END END, p.pid"
	" FROM phase p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	" JOIN job j ON j.id = p.job_id WHERE p.job_id = ? ORDER BY p.host_id, p.id",
	NULL,
	"no phases",
	NULL,
	{
		{ { "Phase", false, 16, 0 }, pm_cell_field, 0 },
		{ { "Host", false, 8, 3 }, pm_cell_plain, 1 },
		{ { "After", true, 0, 0 }, cell_duration, 2 },
		{ { "Wall time", true, 0, 0 }, cell_duration, 3 },
		{ { "", false, 0, 0 }, pm_cell_plain, 4 },
		{ { "Marked by pid", true, 0, 2 }, cell_id, 5 },
	},
};

/* Tags are inherited, so print one line per value instead of one per process. */
const struct pm_list_table pm_list_tags = {
	"SELECT CASE WHEN process_id = 0 THEN 'job' ELSE 'process' END, name, value,"
	" CASE WHEN MIN(process_id) > 0 THEN COUNT(*) END"
	" FROM tag WHERE job_id = ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
	NULL,
	"no tags",
	NULL,
	{
		{ { "Of", false, 0, 0 }, pm_cell_plain, 0 },
		{ { "Name", false, 10, 0 }, pm_cell_field, 1 },
		{ { "Value", false, 10, 0 }, pm_cell_field, 2 },
		{ { "Processes", true, 0, 0 }, count_if_any, 3 },
	},
};

const struct pm_list_table pm_list_analyses = {
	"SELECT name, model, analyzed_us, found, result FROM analysis WHERE job_id = ?"
	" ORDER BY name, model",
	NULL,
	"no analyses: perfmon analyze makes them",
	NULL,
	{
		{ { "Analysis", false, 0, 0 }, pm_cell_plain, 0 },
		{ { "Model", false, 0, 0 }, pm_cell_plain, 1 },
		{ { "When", false, 0, 1 }, cell_minute, 2 },
		{ { "Found", true, 0, 0 }, count_if_any, 3 },
		{ { "Result", false, 16, 0 }, pm_cell_plain, 4 },
	},
};

const struct pm_list_table pm_list_metrics = {
	NULL,
	"SELECT name, unit, kind, CASE WHEN scope = 'THREAD' THEN 'thread' ELSE 'process' END,"
	" help FROM metric ORDER BY name",
	"no metrics",
	NULL,
	{
		{ { "Name", false, 0, 0 }, pm_cell_plain, 0 },
		{ { "Unit", false, 0, 0 }, pm_cell_plain, 1 },
		{ { "Kind", false, 0, 0 }, pm_cell_plain, 2 },
		{ { "Of", false, 0, 1 }, pm_cell_plain, 3 },
		{ { "Meaning", false, 44, 0 }, pm_cell_plain, 4 },
	},
};

int pm_list_prepare(struct pm_db *db, const char *of_job, const char *all,
		    const struct pm_list_ask *ask, struct pm_stmt **q, struct pm_err *e)
{
	const bool one = ask->job && of_job, some = !one && ask->filter;
	char *sql;
	int rc, next;

	/* The jobs first, by indexes alone, then their rows, which are long. */
	rc = some ? asprintf(&sql,
			     "%s WHERE id IN (SELECT id FROM job%s ORDER BY %s LIMIT ? OFFSET ?) "
			     "ORDER BY %s",
			     all, ask->filter->where, ask->filter->order, ask->filter->order)
		  : asprintf(&sql, "%s LIMIT ? OFFSET ?", one ? of_job : all);
	if (rc < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, q, e);
	free(sql);
	if (rc < 0)
		return -1;
	next = some ? pm_jobfilter_bind(ask->filter, *q, 1) : 1;
	if (one)
		pm_db_bind_int(*q, next++, ask->job);
	pm_db_bind_int(*q, next, ask->limit);
	pm_db_bind_int(*q, next + 1, ask->offset);
	return 0;
}

int pm_list_print(const struct pm_list_table *x, const struct pm_page *p, struct pm_db *db,
		  const struct pm_list_ask *ask, struct pm_err *e)
{
	struct pm_table_column look[PM_TABLE_COLUMNS];
	struct pm_table t;
	struct pm_stmt *q;
	bool empty = true;
	size_t n;
	int rc;

	if (pm_list_prepare(db, x->sql, x->all, ask, &q, e) < 0)
		return -1;
	for (n = 0; n < PM_TABLE_COLUMNS && x->column[n].look.title; n++)
		look[n] = x->column[n].look;
	pm_table_init(&t, p, look, n, 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		empty = false;
		for (size_t i = 0; i < n; i++)
			x->column[i].cell(&t, q, x->column[i].from);
	}
	pm_db_finish(q);
	if (rc < 0 || empty) {
		pm_table_discard(&t);
		if (rc == 0)
			fprintf(p->f, "%s\n", x->none);
		return rc;
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	return x->more ? x->more(p, db, ask, e) : 0;
}
