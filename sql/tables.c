/* The tables as data: columns.def and job.def expanded, the small tables written out. */
#include "config.h"

#include "sql/schema.h"

#include "common/job/job.h"
#include "common/job/jobidentity.h"
#include "common/record/nodesummaries.h"
#include "sql/column.h"
#include "sql/modelcolumns.h"
#include "sql/totalcolumns.h"

#include <string.h>

#define COLUMN_MAX (PM_COLUMNS + PM_JOB_KEYS + 48)

#define ENERGY(name, type, required, unit, help)                                                   \
	{ name, PM_SCHEMA_##type, required, unit, "", help },

static const struct pm_schema_column version_columns[] = {
	KEY("version", "schema version"),
	USEC("applied_us", "when this version was applied"),
};

static const struct pm_schema_column job_summary_columns[] = {
	USEC("start_us", "start of the job, else of its first process"),
	USEC("end_us", "end of the job, else of its last process"),
	USEC("duration_us", "elapsed time, by the monotonic clock where one host knows both ends"),
	INT("exit_status", "exit status of the job's command"),
	INT("exit_signal", "signal that ended the job's command"),
	INT("processes", "rows in process: one per program image and fork"),
	INT("threads", "threads seen in them"),
	INT("failed", "processes that ended with a status other than 0 or by a signal"),
	INT("killed", "processes ended by a signal"),
	INT("running", "processes without a recorded end on hosts where the job is not closed"),
	INT("without_end", "images with a start record and no end record"),
	INT("reaped_only",
	    "rows known only from their parent's wait: static, set-uid and the like"),
	INT("hosts", "hosts with records or metadata"),
	INT("ranks", "different MPI ranks seen; NULL for none"),
	INT("cpus", "CPUs allocated by the batch system, else allowed, summed over the hosts"),
	USEC("cpu_time", "CPU time of all processes, user and system"),
	USEC("charged_cpu_us",
	     "CPU time the kernel charged to the job: all of it where coverage is known, "
	     "else a lower bound"),
	INT("excluded", "images of excluded programs, which have no row in process"),
	USEC("excluded_cpu_us", "their CPU time as far as it is known: see excluded_program"),
	REAL("coverage",
	     "share of the charged CPU time that was recorded, including the collector's "
	     "and that of excluded and folded programs; NULL unless the kernel "
	     "accounts for the whole job on every host"),
	REAL("efficiency",
	     "cpu_time with excluded_cpu_us and folded_cpu_us / (duration_us * cpus); NULL while "
	     "processes run, since what they use is not recorded yet"),
	INT("folded", "short processes beyond max_bytes, which have no row in process"),
	USEC("folded_cpu_us", "their CPU time: see folded_program"),
	INT("lost",
	    "record lines that could not be written, as far as they were counted: see lost"),
	INT("rejected", "lines in reject"),
	INT("late", "processes that ended after their host's stop"),
	TEXT("problems", "problems of the sources, separated by semicolons"),
};

/* Behind the columns of records. */
static const struct pm_schema_column job_energy_columns[] = {
#define PM_ENERGY_OF_JOB ENERGY
#include "sql/energyvalues.def"
};

static const struct pm_schema_column host_summary_columns[] = {
	USEC("cpu_time", "CPU time of all processes on the host, user and system"),
	USEC("charged_cpu_us", "CPU time the kernel charged to the job on this host, as in job"),
	REAL("coverage", "coverage of this host alone, as in job"),
#define PM_ENERGY_OF_HOST ENERGY
#include "sql/energyvalues.def"
};

static const struct pm_schema_column process_head[] = {
	KEY("job_id", "the job"),
	KEY("id", "number within the job, from 1, in depth-first order of the tree"),
	KEY("host_id", "the host"),
	INT("parent_id", "the process that started it; NULL for a root"),
	INT("depth", "levels below its root"),
	USEC("cpu_time", "usertime plus systemtime"),
	USEC("inclusive_cpu_time", "cpu_time of the process and of its descendants"),
	INT("tag_set", "its tags by name, in the table tag_set; NULL for none"),
};

static const struct pm_schema_column excluded_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	NAME("exename", "base name of the executable; empty where unknown"),
	KEY("images", "how often it was started, by exec or fork"),
	USEC("cpu_time",
	     "CPU time of these images and of unrecorded children they waited for; NULL where no "
	     "recorded process waited for any of them and none executed a recorded program"),
};

static const struct pm_schema_column lost_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	NAME("reason", "name of the error, such as ENOSPC"),
	KEY("lines", "record lines that could not be written"),
	{ "bytes", PM_SCHEMA_INTEGER, true, "B", "", "their length" },
};

static const struct pm_schema_column folded_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	NAME("exename",
	     "base name of the executable; empty for programs beyond the collector's table"),
	KEY("images", "how many images of it were folded"),
	USEC("usertime", "their CPU time in user mode"),
	USEC("systemtime", "their CPU time in the kernel"),
	USEC("duration_us", "their elapsed time"),
	INT("failed", "how many ended with a status other than 0"),
	{ "rssmax", PM_SCHEMA_INTEGER, false, "kB", "", "largest peak resident set size" },
};

static const struct pm_schema_column folded_wait_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	NAME("key", "empty"),
	KEY("waits", "children without a line that a recorded or folded process waited for"),
	USEC("usertime", "CPU time in user mode of them and of the children they waited for"),
	USEC("systemtime", "the same in the kernel"),
	INT("failed", "how many ended with a status other than 0"),
	INT("killed", "how many were ended by a signal"),
};

static const struct pm_schema_column thread_head[] = {
	KEY("job_id", "the job"),
	KEY("process_id", "the process"),
	KEY("id", "number of the thread within the process, from 1: a tid may occur twice"),
};

static const struct pm_schema_column counter_columns[] = {
	KEY("job_id", "the job"),
	KEY("process_id", "the process"),
	KEY("thread_id", "the thread, as in thread_row; 0 for the process as a whole"),
	NAME("name", "name of the event"),
	INT("value", "its count; NULL where it could not be counted"),
	REAL("ratio", "share of the time it was counted; value is already scaled by it"),
	TEXT("reason", "why it could not be counted, such as ENOENT or closed"),
	TEXT("scope", "node: counts the whole node; rate: computed by a division, not to be "
		      "summed; NULL: may be summed over processes"),
};

static const struct pm_schema_column tag_set_columns[] = {
	KEY("job_id", "the job"),
	KEY("id", "number of the set within the job; 0 for the tags of the job itself"),
	NAME("name", "name of the tag"),
	TEXT("value", "its value; 1 for a bare name"),
};

static const struct pm_schema_column annotation_columns[] = {
	KEY("job_id", "the job"),
	NAME("name", "name of the annotation"),
	TEXT("value", "its value"),
};

static const struct pm_schema_column metric_columns[] = {
	NAME("name", "column of a record, and of the tables process and thread_row"),
	NAME("unit", "its unit; empty for none"),
	NAME("kind", "how values combine: COUNTER, SPAN, OWN and WORK sum, PEAK takes the largest"),
	NAME("scope", "PROCESS or THREAD: the smallest unit a value describes"),
	NAME("source", "where the collector reads it"),
	NAME("help", "what it is"),
};

static const struct pm_schema_column series_columns[] = {
	KEY("job_id", "the job"),
	KEY("id", "number of the series within the job, from 1"),
	KEY("host_id", "the host"),
	NAME("source", "source of the sampler"),
	NAME("metric", "what is sampled"),
	NAME("object", "object measured, such as cpu0; empty for the node or job"),
	NAME("unit", "unit of the values"),
	NAME("kind", "gauge, or counter: take differences"),
};

static const struct pm_schema_column tick_block_columns[] = {
	KEY("job_id", "the job"),
	KEY("id", "number of the block within the job, from 1"),
	KEY("host_id", "the host"),
	KEY("ticks", "number of ticks"),
	{ "time_us", PM_SCHEMA_INTEGER, true, "us", "", "the earliest of their times" },
	KEY("digits", "characters of an offset in times"),
	NAME("times", "of each tick, its time less time_us in microseconds, in decimal"),
	USEC("monotonic_us", "the earliest of their times by the monotonic clock; NULL where those "
			     "are unknown"),
	INT("monotonic_digits", "characters of an offset in monotonics"),
	TEXT("monotonics", "of each tick, its monotonic time less monotonic_us, in the same way"),
};

static const struct pm_schema_column sample_block_columns[] = {
	KEY("job_id", "the job"),
	KEY("series_id", "the series"),
	KEY("id", "number of the block within the series, from 1, by begin_us"),
	KEY("tick_block_id", "the block of ticks that has the times"),
	KEY("tick", "tick of its first sample there, from 0; one tick per sample follows"),
	{ "begin_us", PM_SCHEMA_INTEGER, true, "us", "", "time of its earliest sample" },
	{ "end_us", PM_SCHEMA_INTEGER, true, "us", "", "time of its latest sample" },
	KEY("samples", "number of samples"),
	KEY("known", "samples whose value is known"),
	KEY("first", "the first value; before a known one, the first known one"),
	KEY("step", "unit of the differences between successive values"),
	KEY("base", "what is added to each deviation"),
	{ "deviations", PM_SCHEMA_BLOB, true, "", "",
	  "differences between successive values, divided by step, less base, as coded bytes" },
	TEXT("unknown", "runs of unknown values, as JSON: [[first, number, \"reason\"], ...]; each "
			"repeats the value before it"),
	INT("minimum", "the least known value"),
	INT("maximum", "the greatest known value"),
	REAL("mean", "the mean of the known values"),
};

static const struct pm_schema_column node_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	KEY("samples", "ticks of the sampler on the host"),
	KEY("unknown",
	    "ticks in which the use of the CPUs should have been sampled but is unknown"),
	KEY("resets", "how often a counter decreased: totals are then lower bounds"),
#define PM_NODESUMMARY(id, unit, title, main, help) { #id, PM_SCHEMA_REAL, false, unit, "", help },
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
};

static const struct pm_schema_column energy_columns[] = {
#define PM_ENERGY_OF_METER ENERGY
#include "sql/energyvalues.def"
};

static const struct pm_schema_column phase_columns[] = {
	KEY("job_id", "the job"),
	KEY("host_id", "the host"),
	KEY("id", "number of the phase on the host, from 1, by its beginning"),
	NAME("name", "its name"),
	KEY("pid", "the process that marked its beginning, else its end"),
	USEC("begin_us", "when it began; NULL where its beginning was not marked"),
	USEC("end_us",
	     "when it ended; the end of the job on the host where its end was not marked"),
	USEC("duration_us", "elapsed time, by the monotonic clock"),
	KEY("ended", "1 where its end was marked, else 0"),
};

static const struct pm_schema_column load_columns[] = {
	KEY("job_id", "the job"),
	KEY("id", "number of the file within the job, from 1"),
	INT("host_id", "the host it describes; NULL where it names none or several"),
	NAME("file", "name of the file"),
	NAME("source", "directory or archive that held it"),
	NAME("digest", "SHA-256 of its content"),
	USEC("loaded_us", "when it was loaded"),
	{ "bytes", PM_SCHEMA_INTEGER, true, "B", "", "its size" },
	KEY("lines", "its lines that are neither empty nor headers"),
	KEY("rejected", "those of them in reject"),
	INT("uid", "owner of the file where it was read in a directory and belonged to neither the "
		   "directory's owner nor root: it describes that user's processes alone"),
};

static const struct pm_schema_column content_columns[] = {
	KEY("job_id", "the job"),
	KEY("load_id", "the file"),
	KEY("part", "number of the piece within the file, from 1"),
	NAME("coding", "zstd: all pieces together are one frame of Zstandard; deflate: one zlib "
		       "stream; empty: as it was"),
	{ "bytes", PM_SCHEMA_BLOB, true, "", "", "the piece" },
};

static const struct pm_schema_column reject_columns[] = {
	KEY("job_id", "the job"),
	KEY("id", "number within the job, from 1"),
	KEY("load_id", "the file"),
	NAME("file", "its name"),
	KEY("line", "number of the line, from 1"),
	NAME("reason", "why it was not loaded"),
	{ "bytes", PM_SCHEMA_BLOB, true, "", "", "the line's first 64 KiB, as they were" },
};

#define OF_JOB "FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE"
#define OF_PROCESS                                                                                 \
	"FOREIGN KEY (job_id, process_id) REFERENCES process (job_id, id) ON DELETE CASCADE"
#define OF_HOST "FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id)"

#define TABLE(with, name, columns, keys, narrow, bulk, help)                                       \
	{                                                                                          \
		name, columns, sizeof columns / sizeof columns[0], keys, narrow, bulk,             \
			PM_SCHEMA_##with, help                                                     \
	}
#define FEW(with, name, columns, keys, narrow, help)                                               \
	TABLE(with, name, columns, keys, narrow, false, help)
#define BULK(with, name, columns, keys, narrow, help)                                              \
	TABLE(with, name, columns, keys, narrow, true, help)

enum { AT_VERSION, AT_JOB, AT_HOST, AT_PROCESS, AT_THREAD, AT_REST, AT_COUNT = 31 };

/*
 * Filled by the first call of pm_schema_tables, constant from then on; programs have only one
 * thread when they call it.
 */
static struct {
	bool done;
	struct pm_schema_column job[COLUMN_MAX], host[COLUMN_MAX], process[COLUMN_MAX],
		thread[COLUMN_MAX];
	struct pm_schema_table table[AT_COUNT];
} built = {
	.table = {
		[AT_VERSION] = FEW(SUMMARY, "schema_version", version_columns, "PRIMARY KEY (version)", false,
				     "versions of the schema this database went through"),
		[AT_JOB] = { .name = "job", .column = built.job, .kept_with = PM_SCHEMA_SUMMARY,
			.keys = "UNIQUE (" PM_JOBIDENTITY_KEY ")",
			.help = "one row per job: its identity and its summary" },
		[AT_HOST] = { .name = "host", .column = built.host, .kept_with = PM_SCHEMA_SUMMARY,
			.keys = "PRIMARY KEY (job_id, id),\n\t" OF_JOB,
			.help = "one row per host of a job, and per boot of it" },
		[AT_PROCESS] = { .name = "process", .column = built.process, .kept_with = PM_SCHEMA_PROCESSES,
			.keys = "PRIMARY KEY (job_id, id),\n\t" OF_HOST " ON DELETE CASCADE", .bulk = true,
			.help = "one row per program image (exec or fork), with totals over its life" },
		[AT_THREAD] = { .name = "thread_row", .column = built.thread, .kept_with = PM_SCHEMA_PROCESSES,
			.keys = "PRIMARY KEY (job_id, process_id, id),\n\t" OF_PROCESS, .bulk = true,
			.help = "threads of processes that had several; the view thread has all" },
		FEW(SUMMARY, "excluded_program", excluded_columns,
		      "PRIMARY KEY (job_id, host_id, exename),\n\t" OF_HOST " ON DELETE CASCADE", true,
		      "programs that the settings exclude and include kept out of the records"),
		FEW(SUMMARY, "lost", lost_columns,
		      "PRIMARY KEY (job_id, host_id, reason),\n\t" OF_HOST " ON DELETE CASCADE", true,
		      "lines of records that were lost, as far as they could be counted"),
		FEW(SUMMARY, "folded_program", folded_columns,
		      "PRIMARY KEY (job_id, host_id, exename),\n\t" OF_HOST " ON DELETE CASCADE", true,
		      "totals of short processes that began when the record files had reached max_bytes"),
		FEW(SUMMARY, "folded_wait", folded_wait_columns,
		      "PRIMARY KEY (job_id, host_id, key),\n\t" OF_HOST " ON DELETE CASCADE", true,
		      "waits that wrote no line since the record files had reached max_bytes"),
		BULK(PROCESSES, "counter", counter_columns, "PRIMARY KEY (job_id, process_id, thread_id, name),\n\t" OF_PROCESS, true,
		     "hardware and software events counted per process and thread"),
		BULK(PROCESSES, "tag_set", tag_set_columns, "PRIMARY KEY (job_id, id, name),\n\t" OF_JOB, true,
		     "tags of the job, and each set of tags that processes share; the view tag lists them "
		     "per process"),
		FEW(SUMMARY, "annotation", annotation_columns, "PRIMARY KEY (job_id, name),\n\t" OF_JOB, true,
		      "notes that users attached to a job"),
		FEW(SUMMARY, "metric", metric_columns, "PRIMARY KEY (name)", false,
		      "the dictionary of a record's columns"),
		BULK(PROCESSES, "series", series_columns, "PRIMARY KEY (job_id, id),\n\t" OF_HOST " ON DELETE CASCADE",
		      false, "series that the sampler recorded, one row per metric and object"),
		BULK(ALL, "tick_block", tick_block_columns,
		      "PRIMARY KEY (job_id, id),\n\t" OF_HOST " ON DELETE CASCADE", false,
		      "times at which series were read, shared by the series that were read together"),
		BULK(ALL, "sample_block", sample_block_columns,
		      "PRIMARY KEY (job_id, series_id, id),\n\t"
		      "FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) ON DELETE CASCADE",
		      false, "successive values of a series, coded; the view sample has a row for each"),
		BULK(PROCESSES, "series_summary", total_columns,
		    "PRIMARY KEY (job_id, series_id),\n\t"
		    "FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) ON DELETE CASCADE",
		    true, "totals of each series that has samples, which stay when those are deleted"),
		FEW(SUMMARY, "node_summary", node_columns,
		      "PRIMARY KEY (job_id, host_id),\n\t" OF_HOST " ON DELETE CASCADE", false,
		      "summaries of a node's samples, one row per host"),
		FEW(SUMMARY, "energy", energy_columns,
		      "PRIMARY KEY (job_id, host_id, id),\n\t" OF_HOST " ON DELETE CASCADE", false,
		      "energy of a host's meters while the job was there"),
		FEW(SUMMARY, "phase", phase_columns,
		      "PRIMARY KEY (job_id, host_id, id),\n\t" OF_HOST " ON DELETE CASCADE", false,
		      "phases of the application, as it marked them"),
		BULK(PROGRAMS, "program_summary", program_columns, "PRIMARY KEY (job_id, program),\n\t" OF_JOB, true,
		      "totals of each program of a job; unknown sums are NULL, as are those beyond the "
		      "range of an integer"),
		BULK(PROCESSES, "tag_summary", tagsum_columns, "PRIMARY KEY (job_id, tag_set),\n\t" OF_JOB, true,
		     "totals of the processes of each set of tags, of jobs that have 512 to 1048576 processes with tags, at most "
		     "4096 sets as stored, and 8 processes of each on average"),
		FEW(SUMMARY, "user_day", user_day_columns, "PRIMARY KEY (cluster, \"user\", day_us)", true,
		      "totals of each user's jobs by the day of their start, retired ones with their "
		      "summary; sums as in program_summary"),
		FEW(SUMMARY, "load", load_columns, "PRIMARY KEY (job_id, id),\n\t" OF_JOB, false,
		      "files a job was loaded from"),
		BULK(ALL, "content", content_columns,
		      "PRIMARY KEY (job_id, load_id, part),\n\tFOREIGN KEY (job_id, load_id) REFERENCES "
		      "load (job_id, id) ON DELETE CASCADE",
		      false, "contents of the files, which are merged with files of the same host that are loaded later; of a series file "
		      "of one host without rejected lines, the samples are merged and the content is not stored"),
		FEW(SUMMARY, "reject", reject_columns, "PRIMARY KEY (job_id, id),\n\t" OF_JOB, false,
		      "lines that could not be loaded"),
		FEW(SUMMARY, "model", model_columns, "PRIMARY KEY (name)", false,
		      "reference models: values of jobs that are known to be good"),
		FEW(SUMMARY, "model_job", model_job_columns,
		      "PRIMARY KEY (model, job_id),\n\t" OF_JOB ",\n\t" OF_MODEL, true,
		      "jobs that a model was made of, as far as they are still here"),
		FEW(SUMMARY, "model_feature", model_feature_columns,
		      "PRIMARY KEY (model, operation, feature, method),\n\t" OF_MODEL, false,
		      "what a model knows of each feature, by method"),
		FEW(SUMMARY, "model_component", model_component_columns,
		      "PRIMARY KEY (model, component, feature),\n\t" OF_MODEL, false,
		      "principal components of a model"),
		FEW(SUMMARY, "analysis", analysis_columns,
		      "PRIMARY KEY (job_id, name, model),\n\t" OF_JOB, false,
		      "analyses of jobs, and what they found"),
	},
};

static void add_column(struct pm_schema_table *t, struct pm_schema_column *to,
		       struct pm_schema_column c)
{
	to[t->columns++] = c;
}

static void add_all(struct pm_schema_table *t, struct pm_schema_column *to,
		    const struct pm_schema_column *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_column(t, to, from[i]);
}

/* The column of a value of job.def. What identifies a job is never NULL. */
static struct pm_schema_column of_job(enum pm_job_key k)
{
	const struct pm_job_info *info = &pm_job_info[k];
	bool number = info->type == PM_JOB_TYPE_INT || info->type == PM_JOB_TYPE_TIME;
	struct pm_schema_column c = {
		.name = info->column,
		.type = number ? PM_SCHEMA_INTEGER : PM_SCHEMA_TEXT,
		.required = pm_jobidentity_has(k),
		.unit = info->type == PM_JOB_TYPE_TIME ? "us" : "",
		.about = info->section == PM_JOB_IN_start  ? "at start: "
			 : info->section == PM_JOB_IN_stop ? "at stop: "
							   : "",
		.help = info->help,
	};

	return c;
}

/* A column of a record. */
static struct pm_schema_column of_record(enum pm_column k, const char *about)
{
	const struct pm_column_info *info = &pm_column_info[k];
	struct pm_schema_column c = {
		.name = info->name,
		.type = info->text ? PM_SCHEMA_TEXT : PM_SCHEMA_INTEGER,
		.unit = info->unit,
		.about = about,
		.help = info->help,
	};

	return c;
}

static void build_job(struct pm_schema_table *t)
{
	static const struct pm_schema_column id = { "id", PM_SCHEMA_ID,
						    true, "",
						    "",   "number of the job in this database" };

	add_column(t, built.job, id);
	for (int k = 0; k < PM_JOB_KEYS; k++)
		if (pm_job_info[k].section == PM_JOB_IN_job)
			add_column(t, built.job, of_job((enum pm_job_key)k));
	add_all(t, built.job, job_summary_columns,
		sizeof job_summary_columns / sizeof job_summary_columns[0]);
	for (int c = 0; c < PM_COLUMNS; c++) {
		switch (pm_column_info[c].kind) {
		case PM_KIND_COUNTER:
		case PM_KIND_OWN:
		case PM_KIND_WORK:
			add_column(t, built.job,
				   of_record((enum pm_column)c, "sum over the processes: "));
			break;
		case PM_KIND_PEAK:
			add_column(t, built.job,
				   of_record((enum pm_column)c, "largest of a process: "));
			break;
		default:
			break;
		}
	}
	add_all(t, built.job, job_energy_columns,
		sizeof job_energy_columns / sizeof job_energy_columns[0]);
	add_all(t, built.job, job_analysis_columns,
		sizeof job_analysis_columns / sizeof job_analysis_columns[0]);
}

static void build_host(struct pm_schema_table *t)
{
	static const struct pm_schema_column head[] = {
		KEY("job_id", "the job"),
		KEY("id", "number of the host within the job, from 1"),
	};

	add_all(t, built.host, head, 2);
	for (int k = 0; k < PM_JOB_KEYS; k++)
		if (pm_job_info[k].section != PM_JOB_IN_job)
			add_column(t, built.host, of_job((enum pm_job_key)k));
	add_all(t, built.host, host_summary_columns,
		sizeof host_summary_columns / sizeof host_summary_columns[0]);
}

bool pm_schema_in_process(enum pm_column c)
{
	return c != PM_COL_record && c != PM_COL_boot_id && c != PM_COL_hostname &&
	       c != PM_COL_counters;
}

bool pm_schema_in_thread(enum pm_column c)
{
	return pm_schema_in_process(c) && pm_column_info[c].scope == PM_SCOPE_THREAD;
}

static void build_tables(void)
{
	struct pm_schema_table *process = &built.table[AT_PROCESS],
			       *thread = &built.table[AT_THREAD];

	build_job(&built.table[AT_JOB]);
	build_host(&built.table[AT_HOST]);
	add_all(process, built.process, process_head, sizeof process_head / sizeof process_head[0]);
	add_all(thread, built.thread, thread_head, sizeof thread_head / sizeof thread_head[0]);
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (pm_schema_in_process((enum pm_column)c))
			add_column(process, built.process, of_record((enum pm_column)c, ""));
		if (pm_schema_in_thread((enum pm_column)c))
			add_column(thread, built.thread, of_record((enum pm_column)c, ""));
	}
	built.done = true;
}

const struct pm_schema_table *pm_schema_tables(size_t *count)
{
	if (!built.done)
		build_tables();
	if (count)
		*count = AT_COUNT;
	return built.table;
}

const struct pm_schema_table *pm_schema_find(const char *table)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(t[i].name, table) == 0)
			return &t[i];
	return NULL;
}

bool pm_schema_of_job(const struct pm_schema_table *t)
{
	return pm_schema_index(t, "job_id") >= 0 && strcmp(t->name, "model_job") != 0;
}

int pm_schema_index(const struct pm_schema_table *t, const char *column)
{
	for (size_t i = 0; i < t->columns; i++)
		if (strcmp(t->column[i].name, column) == 0)
			return (int)i;
	return -1;
}
