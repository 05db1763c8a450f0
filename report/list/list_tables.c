/* The tables of `perfmon list` for people. */
#include "config.h"

#include "report/list/list_tables.h"

#include "common/job/jobidentity.h"
#include "common/record/processname.h"
#include "common/text.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/rows/query_row.h"

#include <stdio.h>
#include <string.h>

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

/* Bytes of a line that was not loaded. */
static void cell_bytes(struct pm_table *t, struct pm_stmt *q, int from)
{
	char s[256];
	size_t n = 0;
	const char *p = pm_db_blob(q, from, &n);

	pm_text_safe(s, sizeof s, p ? p : "", p ? n : 0, t->page->utf8);
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

#define SHOWN PM_JOBIDENTITY_SHOWN("")

/* Columns of a table that is called t and of its host. */
#define OF_HOST(columns, table)                                                                    \
	"SELECT " columns " FROM " table " t JOIN host h ON h.job_id = t.job_id AND h.id = "       \
	"t.host_id"
#define THE_PROCESS " JOIN process p ON p.job_id = r.job_id AND p.id = r.process_id"
#define THE_JOB     " JOIN job j ON j.id = r.job_id"

static const struct pm_list_table tables[] = {
	{
		.name = "jobs",
		.rows = "SELECT * FROM job",
		.as = "job",
		.of = PM_LIST_JOBS,
		.order = PM_JOBIDENTITY_LATEST,
		.text = PM_VALUES_PLAIN,
		.select = "id, " SHOWN ", \"user\", start_us, duration_us, cpu_time, efficiency, rssmax,"
" processes, failed, CASE WHEN running > 0 THEN 'running' END, exit_status, exit_signal,"
" name, folded, lost, energy_uj",
		.join = "",
		.none = "no jobs",
		.column = {
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
	},
	{
		.name = "processes",
		.rows = OF_HOST("t.*, h.hostname, h.boot_id", "process"),
		.as = "process",
		.of = PM_LIST_OF_JOBS,
		.order = "r.id",
		.process = "id",
		.text = PM_VALUES_ESCAPED,
		.select = "r.pid, r.hostname, r.start_us - j.start_us, r.duration_us, r.cpu_time,"
" r.rssmax, r.numtids, r.end_reason, r.exitcode, r.exitsignal, r.exename, r.args,"
" r.gpu_time / 1000, r.gpu_memory",
		.join = THE_JOB,
		.none = "no processes",
		.column = {
			{ { "Pid", true, 0, 0 }, cell_id, 0 },
			{ { "Host", false, 8, 3 }, pm_cell_host, 1 },
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
	},
	{
		.name = "threads",
		.rows = "SELECT * FROM thread",
		.as = "thread",
		.of = PM_LIST_OF_JOBS,
		.order = "r.process_id, r.id",
		.process = "process_id",
		.text = PM_VALUES_ESCAPED,
		.select = "p.pid, r.tid, r.start_us - j.start_us, r.duration_us, r.usertime,"
" r.systemtime, r.time_waiting / 1000, r.processor, r.thread_name, p.exename, p.args",
		.join = THE_PROCESS THE_JOB,
		.none = "no threads",
		.column = {
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
	},
	/* A counter of a whole process has no thread; an unknown counter has no share. */
	{
		.name = "counters",
		.rows = "SELECT * FROM counter",
		.as = "counter",
		.of = PM_LIST_OF_JOBS,
		.order = "r.process_id, r.thread_id, r.name",
		.process = "process_id",
		.text = PM_VALUES_ESCAPED,
		.select = "p.pid, t.tid,"
" r.name || CASE r.scope WHEN 'node' THEN ' (of the node)' WHEN 'rate' THEN ' (a rate)' "
"ELSE '' END,"
" r.value, CASE WHEN r.value IS NOT NULL THEN COALESCE(r.ratio, 1) END, r.reason, "
"p.exename, p.args",
		.join = THE_PROCESS
" LEFT JOIN thread_row t ON t.job_id = r.job_id AND t.process_id = r.process_id"
" AND t.id = r.thread_id",
		.none = "no counters",
		.column = {
			{ { "Pid", true, 0, 0 }, cell_id, 0 },
			{ { "Tid", true, 0, 1 }, id_if_any, 1 },
			{ { "Event", false, 12, 0 }, pm_cell_field, 2 },
			{ { "Value", true, 0, 0 }, cell_count, 3 },
			{ { "Counted", true, 0, 2 }, share_if_any, 4 },
			{ { "Reason", false, 0, 3 }, pm_cell_field, 5 },
			{ { "Program", false, 12, 4 }, cell_program, 6 },
		},
	},
	{
		.name = "hosts",
		.rows = "SELECT * FROM host",
		.as = "host",
		.of = PM_LIST_OF_JOBS,
		.order = "r.id",
		.text = PM_VALUES_PLAIN,
		.select = "r.hostname, r.cpus_online, r.cpus_allowed, r.memory_kb,"
" CASE WHEN p.processes IS NULL AND r.cpu_time IS NOT NULL THEN NULL"
" ELSE coalesce(p.processes, 0) END, coalesce(p.cpu_time, r.cpu_time), r.cpu_model, r.kernel, r.os,"
" r.cpus_allocated, r.coverage, r.energy_uj, r.energy_mean_uw",
		.join = " LEFT JOIN (SELECT job_id, host_id, count(*) AS processes,"
" sum(CAST(cpu_time AS DOUBLE PRECISION)) AS cpu_time FROM process WHERE process.job_id",
		.joined = " GROUP BY job_id, host_id) p ON p.job_id = r.job_id AND p.host_id = r.id",
		.more = pm_list_gpus,
		.none = "no hosts",
		.column = {
			{ { "Host", false, 12, 0 }, pm_cell_host, 0 },
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
	},
	/* Each value in a node's row becomes a line. */
	{
		.name = "summaries",
		.rows = OF_HOST("h.hostname, t.*", "node_summary"),
		.as = "node_summary",
		.of = PM_LIST_OF_JOBS,
		.order = "r.host_id",
		.text = PM_VALUES_PLAIN,
		.select = "r.hostname, n.name, CASE n.name"
#define PM_NODESUMMARY(id, unit, title, main, help) " WHEN '" #id "' THEN r." #id
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
" ELSE CAST(r.samples AS DOUBLE PRECISION) END, n.unit",
		.join = " CROSS JOIN (SELECT 'samples' AS name, '' AS unit"
#define PM_NODESUMMARY(id, unit, title, main, help) " UNION ALL SELECT '" #id "', '" unit "'"
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
") n",
		.lines = "r.host_id, n.name",
		.none = "no summaries",
		.column = {
			{ { "Host", false, 10, 0 }, pm_cell_host, 0 },
			{ { "Summary", false, 20, 0 }, pm_cell_plain, 1 },
			{ { "Value", true, 0, 0 }, cell_number, 2 },
			{ { "Unit", false, 0, 1 }, pm_cell_plain, 3 },
		},
	},
	{
		.name = "energy",
		.rows = OF_HOST("h.hostname, t.*", "energy"),
		.as = "energy",
		.of = PM_LIST_OF_JOBS,
		.order = "r.host_id, r.id",
		.text = PM_VALUES_ESCAPED,
		.select = "r.hostname, r.part, r.source, r.meter, r.energy_uj, r.mean_uw, r.peak_uw,"
" CASE WHEN r.energy_uj IS NULL THEN NULL ELSE r.covered_us END, r.lost,"
" CASE WHEN r.energy_uj IS NULL THEN '' WHEN r.in_total = 1 THEN 'yes' ELSE 'no' END,"
" r.method, r.reason",
		.join = "",
		.none = "no energy",
		.column = {
			{ { "Host", false, 8, 0 }, pm_cell_host, 0 },
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
	},
	{
		.name = "phases",
		.rows = OF_HOST("t.*, h.hostname", "phase"),
		.as = "phase",
		.of = PM_LIST_OF_JOBS,
		.order = "r.host_id, r.id",
		.text = PM_VALUES_ESCAPED,
		.select = "r.name, r.hostname, r.begin_us - j.start_us, r.duration_us,"
" CASE r.ended WHEN 0 THEN 'not ended' WHEN 1 THEN"
" CASE WHEN r.begin_us IS NULL THEN 'not begun' ELSE '' END END, r.pid",
		.join = THE_JOB,
		.none = "no phases",
		.column = {
			{ { "Phase", false, 16, 0 }, pm_cell_field, 0 },
			{ { "Host", false, 8, 3 }, pm_cell_host, 1 },
			{ { "After", true, 0, 0 }, cell_duration, 2 },
			{ { "Wall time", true, 0, 0 }, cell_duration, 3 },
			{ { "", false, 0, 0 }, pm_cell_plain, 4 },
			{ { "Marked by pid", true, 0, 2 }, cell_id, 5 },
		},
	},
	/* Tags are inherited, so print one line per value instead of one per process. */
	{
		.name = "tags",
		.rows = "SELECT * FROM tag",
		.as = "tag",
		.of = PM_LIST_OF_JOBS,
		.order = "r.process_id, r.name",
		.process = "process_id",
		.text = PM_VALUES_ESCAPED,
		.select = "CASE WHEN r.process_id = 0 THEN 'job' ELSE 'process' END, r.name, r.value,"
" CASE WHEN MIN(r.process_id) > 0 THEN COUNT(*) END",
		.join = "",
		.group = "1, 2, 3",
		.lines = "1, 2, 3",
		.none = "no tags",
		.column = {
			{ { "Of", false, 0, 0 }, pm_cell_plain, 0 },
			{ { "Name", false, 10, 0 }, pm_cell_field, 1 },
			{ { "Value", false, 10, 0 }, pm_cell_field, 2 },
			{ { "Processes", true, 0, 0 }, count_if_any, 3 },
		},
	},
	{
		.name = "annotations",
		.rows = "SELECT * FROM annotation",
		.as = "annotation",
		.of = PM_LIST_OF_JOBS,
		.order = "r.name",
		.text = PM_VALUES_PLAIN,
		.select = "r.name, r.value",
		.join = "",
		.none = "no annotations",
		.column = {
			{ { "Name", false, 10, 0 }, pm_cell_plain, 0 },
			{ { "Value", false, 10, 0 }, pm_cell_plain, 1 },
		},
	},
	{
		.name = "analyses",
		.rows = "SELECT * FROM analysis",
		.as = "analysis",
		.of = PM_LIST_OF_JOBS,
		.order = "r.name, r.model",
		.text = PM_VALUES_PLAIN,
		.select = "r.name, r.model, r.analyzed_us, r.found, r.result",
		.join = "",
		.none = "no analyses: perfmon analyze makes them",
		.column = {
			{ { "Analysis", false, 0, 0 }, pm_cell_plain, 0 },
			{ { "Model", false, 0, 0 }, pm_cell_plain, 1 },
			{ { "When", false, 0, 1 }, cell_minute, 2 },
			{ { "Found", true, 0, 0 }, count_if_any, 3 },
			{ { "Result", false, 16, 0 }, pm_cell_plain, 4 },
		},
	},
	{
		.name = "series",
		.rows = OF_HOST("t.*, h.hostname", "series"),
		.as = "series",
		.of = PM_LIST_OF_JOBS,
		.order = "r.id",
		.text = PM_VALUES_PLAIN,
		.select = "r.hostname, r.source, r.metric, r.object, r.kind, r.unit, s.samples,"
" s.samples - s.known, s.minimum, s.mean, s.maximum",
		.join = " LEFT JOIN series_summary s ON s.job_id = r.job_id AND s.series_id = r.id",
		.none = "no series",
		.column = {
			{ { "Host", false, 8, 3 }, pm_cell_plain, 0 },
			{ { "Source", false, 0, 2 }, pm_cell_plain, 1 },
			{ { "Metric", false, 10, 0 }, pm_cell_plain, 2 },
			{ { "Object", false, 0, 0 }, pm_cell_plain, 3 },
			{ { "Kind", false, 0, 5 }, pm_cell_plain, 4 },
			{ { "Unit", false, 0, 0 }, pm_cell_plain, 5 },
			{ { "Samples", true, 0, 4 }, cell_count, 6 },
			{ { "Unknown", true, 0, 6 }, cell_count, 7 },
			{ { "Least", true, 0, 0 }, cell_number, 8 },
			{ { "Mean", true, 0, 0 }, cell_number, 9 },
			{ { "Most", true, 0, 0 }, cell_number, 10 },
		},
	},
	{
		.name = "samples",
		.rows = "SELECT s.job_id, s.series_id, h.hostname, e.source, e.metric, e.object, e.unit, e.kind,"
" s.time_us, s.monotonic_us, s.value, s.reason, s.block_id, s.block_begin_us,"
" s.block_end_us FROM sample s"
" JOIN series e ON e.job_id = s.job_id AND e.id = s.series_id"
" JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id",
		.as = "sample",
		.of = PM_LIST_OF_JOBS,
		.order = "r.series_id, r.block_id, r.time_us",
		.part = "series_id",
		.parts = "SELECT id FROM series WHERE job_id = ? ORDER BY id",
		.text = PM_VALUES_PLAIN,
		.select = "r.hostname, r.source, r.metric, r.object, r.time_us - j.start_us, r.value, r.unit, r.reason",
		.join = THE_JOB,
		.none = "no samples",
		.column = {
			{ { "Host", false, 8, 3 }, pm_cell_host, 0 },
			{ { "Source", false, 0, 2 }, pm_cell_plain, 1 },
			{ { "Metric", false, 10, 0 }, pm_cell_plain, 2 },
			{ { "Object", false, 6, 0 }, pm_cell_plain, 3 },
			{ { "After", true, 0, 0 }, cell_duration, 4 },
			{ { "Value", true, 0, 0 }, cell_count, 5 },
			{ { "Unit", false, 0, 1 }, pm_cell_plain, 6 },
			{ { "Unknown", false, 0, -1 }, reason_if_any, 7 },
		},
	},
	{
		.name = "rejects",
		.rows = "SELECT * FROM reject",
		.as = "reject",
		.of = PM_LIST_OF_JOBS,
		.order = "r.id",
		.text = PM_VALUES_PLAIN,
		.select = "r.file, r.line, r.reason, r.bytes",
		.join = "",
		.none = "no rejects",
		.column = {
			{ { "File", false, 10, 0 }, pm_cell_plain, 0 },
			{ { "Line", true, 0, 0 }, cell_id, 1 },
			{ { "Why", false, 16, 0 }, pm_cell_plain, 2 },
			{ { "Bytes", false, 10, 1 }, cell_bytes, 3 },
		},
	},
	{
		.name = "metrics",
		.rows = "SELECT * FROM metric",
		.as = "metric",
		.of = PM_LIST_GENERAL,
		.order = "r.name",
		.text = PM_VALUES_PLAIN,
		.select = "r.name, r.unit, r.kind, CASE WHEN r.scope = 'THREAD' THEN 'thread' ELSE 'process' END,"
" r.help",
		.join = "",
		.none = "no metrics",
		.column = {
			{ { "Name", false, 0, 0 }, pm_cell_plain, 0 },
			{ { "Unit", false, 0, 0 }, pm_cell_plain, 1 },
			{ { "Kind", false, 0, 0 }, pm_cell_plain, 2 },
			{ { "Of", false, 0, 1 }, pm_cell_plain, 3 },
			{ { "Meaning", false, 44, 0 }, pm_cell_plain, 4 },
		},
	},
};

const struct pm_list_table *pm_list_find(const char *name)
{
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		if (strcmp(tables[i].name, name) == 0)
			return &tables[i];
	return NULL;
}

const struct pm_list_table *pm_list_jobs(void)
{
	return &tables[0];
}
