/*
 * Source "cgroup": resources used by the job's control group, from files of version 2 or else of
 * version 1 (cgroup-v2.rst and cgroup-v1/ in Documentation/admin-guide of Linux). A hybrid system
 * has some files of each.
 */
#include "config.h"

#include "sampler/job/cgroupdir.h"
#include "sampler/job/cgroupio.h"
#include "sampler/kernel/procfile.h"
#include "sampler/sources/keyfile.h"
#include "sampler/sources/pressure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
/* Files. X(id, hierarchy, name) */
#define FILES(X) \
	X(CPU2, UNIFIED, "cpu.stat") \
	X(USAGE1, CPUACCT, "cpuacct.usage") \
	X(USER1, CPUACCT, "cpuacct.usage_user") \
	X(SYSTEM1, CPUACCT, "cpuacct.usage_sys") \
	X(CPU1, CPU, "cpu.stat") \
	X(CURRENT2, UNIFIED, "memory.current") \
	X(PEAK2, UNIFIED, "memory.peak") \
	X(SWAP2, UNIFIED, "memory.swap.current") \
	X(MEMORY2, UNIFIED, "memory.stat") \
	X(EVENTS2, UNIFIED, "memory.events") \
	X(CURRENT1, MEMORY, "memory.usage_in_bytes") \
	X(PEAK1, MEMORY, "memory.max_usage_in_bytes") \
	X(MEMORY1, MEMORY, "memory.stat") \
	X(FAILURES1, MEMORY, "memory.failcnt") \
	X(OOM1, MEMORY, "memory.oom_control") \
	X(IO2, UNIFIED, "io.stat") \
	X(BYTES1, BLKIO, "blkio.throttle.io_service_bytes_recursive") \
	X(REQUESTS1, BLKIO, "blkio.throttle.io_serviced_recursive") \
	X(PIDS2, UNIFIED, "pids.current") \
	X(PIDS_MAX2, UNIFIED, "pids.max") \
	X(PIDS1, PIDS, "pids.current") \
	X(PIDS_MAX1, PIDS, "pids.max") \
	X(PRESSURE_CPU, UNIFIED, "cpu.pressure") \
	X(PRESSURE_MEMORY, UNIFIED, "memory.pressure") \
	X(PRESSURE_IO, UNIFIED, "io.pressure")

/* The place of a value in a file. */
enum form {
	NUMBER,   /* the file is one number, or "max" */
	LINE,     /* in the line "key number" */
	DEVICES2, /* the sum over the devices' lines "M:N key=number ..." */
	DEVICES1, /* the sum over the devices' lines "M:N key number" */
};

/*
 * Metrics. X(id, name, unit, kind, help, then file, form, key, divisor of version 2, and the same
 * of version 1). The divisor converts ns to us.
 */
#define VALUES(X) \
	X(CPU_TIME, "cpu_time", "us", COUNTER, "CPU time, user and system", \
		CPU2, LINE, "usage_usec ", 1, USAGE1, NUMBER, "", 1000) \
	X(USERTIME, "usertime", "us", COUNTER, "CPU time in user mode", \
		CPU2, LINE, "user_usec ", 1, USER1, NUMBER, "", 1000) \
	X(SYSTEMTIME, "systemtime", "us", COUNTER, "CPU time in the kernel", \
		CPU2, LINE, "system_usec ", 1, SYSTEM1, NUMBER, "", 1000) \
	X(PERIODS, "quota_periods", "n", COUNTER, "periods of the group's CPU quota in which it ran", \
		CPU2, LINE, "nr_periods ", 1, CPU1, LINE, "nr_periods ", 1) \
	X(THROTTLED, "throttled", "n", COUNTER, "periods in which the group used up its quota and was throttled", \
		CPU2, LINE, "nr_throttled ", 1, CPU1, LINE, "nr_throttled ", 1) \
	X(THROTTLED_TIME, "throttled_time", "us", COUNTER, "time the group was throttled", \
		CPU2, LINE, "throttled_usec ", 1, CPU1, LINE, "throttled_time ", 1000) \
	X(MEMORY, "memory", "B", GAUGE, "memory, page cache included", \
		CURRENT2, NUMBER, "", 1, CURRENT1, NUMBER, "", 1) \
	X(MEMORY_PEAK, "memory_peak", "B", GAUGE, "peak memory", \
		PEAK2, NUMBER, "", 1, PEAK1, NUMBER, "", 1) \
	X(ANONYMOUS, "anonymous", "B", GAUGE, "anonymous memory of programs", \
		MEMORY2, LINE, "anon ", 1, MEMORY1, LINE, "total_rss ", 1) \
	X(FILE_CACHE, "file", "B", GAUGE, "page cache, shared memory included", \
		MEMORY2, LINE, "file ", 1, MEMORY1, LINE, "total_cache ", 1) \
	X(SHARED, "shared", "B", GAUGE, "shared memory and tmpfs", \
		MEMORY2, LINE, "shmem ", 1, MEMORY1, LINE, "total_shmem ", 1) \
	X(SWAP, "swap", "B", GAUGE, "swapped-out memory", \
		SWAP2, NUMBER, "", 1, MEMORY1, LINE, "total_swap ", 1) \
	X(PGFAULT, "pgfault", "n", COUNTER, "page faults, major ones included", \
		MEMORY2, LINE, "pgfault ", 1, MEMORY1, LINE, "total_pgfault ", 1) \
	X(PGMAJFAULT, "pgmajfault", "n", COUNTER, "major page faults: pages read from storage", \
		MEMORY2, LINE, "pgmajfault ", 1, MEMORY1, LINE, "total_pgmajfault ", 1) \
	X(LIMIT_HITS, "limit_hits", "n", COUNTER, "number of times memory reached the limit", \
		EVENTS2, LINE, "max ", 1, FAILURES1, NUMBER, "", 1) \
	X(OOM, "oom", "n", COUNTER, "number of times memory ran out", \
		EVENTS2, LINE, "oom ", 1, NONE, LINE, "", 1) \
	X(OOM_KILL, "oom_kill", "n", COUNTER, "processes killed for lack of memory", \
		EVENTS2, LINE, "oom_kill ", 1, OOM1, LINE, "oom_kill ", 1) \
	X(READ_BYTES, "read_bytes", "B", COUNTER, "bytes read from disks", \
		IO2, DEVICES2, "rbytes", 1, BYTES1, DEVICES1, "Read", 1) \
	X(WRITE_BYTES, "write_bytes", "B", COUNTER, "bytes written to disks", \
		IO2, DEVICES2, "wbytes", 1, BYTES1, DEVICES1, "Write", 1) \
	X(READS, "reads", "n", COUNTER, "reads from disks", \
		IO2, DEVICES2, "rios", 1, REQUESTS1, DEVICES1, "Read", 1) \
	X(WRITES, "writes", "n", COUNTER, "writes to disks", \
		IO2, DEVICES2, "wios", 1, REQUESTS1, DEVICES1, "Write", 1) \
	X(TASKS, "tasks", "n", GAUGE, "tasks: threads count each", \
		PIDS2, NUMBER, "", 1, PIDS1, NUMBER, "", 1) \
	X(TASKS_LIMIT, "tasks_limit", "n", GAUGE, "limit on tasks; absent without a limit", \
		PIDS_MAX2, NUMBER, "", 1, PIDS_MAX1, NUMBER, "", 1)

enum {
#define VALUE(id, ...) id,
	VALUES(VALUE)
	MEMORY_LIMIT, PRESSURE, METRICS = PRESSURE + PM_PRESSURE_VALUES
};

enum {
#define FILE_ID(id, hierarchy, name) id,
	FILES(FILE_ID)
	NONE
};

static const struct pm_metric metrics[METRICS] = {
#define METRIC(id, name, unit, kind, help, ...) \
	[id] = { name, unit, help, NULL, false, PM_METRIC_##kind },
	VALUES(METRIC)
	[MEMORY_LIMIT] = { "memory_limit", "B",
		"lowest limit of the group and its ancestors; absent without a limit", NULL, false,
		PM_METRIC_GAUGE },
#define PRESSURE_METRIC(id, name, unit, kind, help) \
	[PRESSURE + id] = { name, unit, help, "resource", false, PM_METRIC_##kind },
	PRESSURE_METRIC(PM_PRESSURE_SOME, "some", "us", COUNTER,
		"time in which at least one task waited")
	PRESSURE_METRIC(PM_PRESSURE_FULL, "full", "us", COUNTER,
		"time in which all runnable tasks waited")
	PRESSURE_METRIC(PM_PRESSURE_SOME_AVG10, "some_avg10", "0.01%", GAUGE,
		"share of the last 10 s in which at least one task waited")
	PRESSURE_METRIC(PM_PRESSURE_SOME_AVG60, "some_avg60", "0.01%", GAUGE,
		"share of the last minute in which at least one task waited")
	PRESSURE_METRIC(PM_PRESSURE_SOME_AVG300, "some_avg300", "0.01%", GAUGE,
		"share of the last five minutes in which at least one task waited")
	PRESSURE_METRIC(PM_PRESSURE_FULL_AVG10, "full_avg10", "0.01%", GAUGE,
		"share of the last 10 s in which all runnable tasks waited")
	PRESSURE_METRIC(PM_PRESSURE_FULL_AVG60, "full_avg60", "0.01%", GAUGE,
		"share of the last minute in which all runnable tasks waited")
	PRESSURE_METRIC(PM_PRESSURE_FULL_AVG300, "full_avg300", "0.01%", GAUGE,
		"share of the last five minutes in which all runnable tasks waited")
};

static const struct {
	enum pm_cgroupdir_id hierarchy;
	const char *name;
} file_info[NONE] = {
#define FILE_INFO(id, hierarchy, name) [id] = { PM_CGROUPDIR_##hierarchy, name },
	FILES(FILE_INFO)
};

static const struct place {
	int file;
	enum form form;
	const char *key;
	int64_t divisor;
} place_info[][2] = {
#define PLACE(id, name, unit, kind, help, f2, form2, key2, d2, f1, form1, key1, d1) \
	[id] = { { f2, form2, key2, d2 }, { f1, form1, key1, d1 } },
	VALUES(PLACE)
};
/* clang-format on */

static const struct {
	const char *name;
	int file;
} resource_info[] = {
	{ "cpu", PRESSURE_CPU },
	{ "memory", PRESSURE_MEMORY },
	{ "io", PRESSURE_IO },
};

#define RESOURCES ((int)(sizeof resource_info / sizeof resource_info[0]))

/* Groups from the job's up to the mount point whose limits are read. */
#define LEVELS_MAX 16

/* Version 1 has a number near 2^63 for no limit. */
#define NO_LIMIT (INT64_C(1) << 62)

struct file {
	struct pm_procfile f;  /* path NULL: not open */
	enum pm_reason reason; /* why the file could not be opened or read */
	const char *text;      /* contents in this sample; NULL: none */
	size_t n;
};

struct state {
	const char *root;
	const char *directory; /* of the given group; NULL: use the process' group, by `cgroup` */
	struct pm_procfile cgroup; /* /proc/PID/cgroup */
	int64_t followed_ms;       /* when `cgroup` was read last, monotonic clock */
	char *where;               /* text of `cgroup` when the files below were opened; owned */
	struct file file[NONE];
	struct file limit[LEVELS_MAX]; /* memory.max of the group and those above */
	int limits;
	int pressure[RESOURCES][PM_PRESSURE_VALUES]; /* series */
	struct pm_cgroupio io;
};

/* --- opening ---------------------------------------------------------------------------------- */

/* Open directory/name, both below root. */
static void open_file(struct file *file, const char *root, const char *directory, const char *name)
{
	char *path;

	memset(file, 0, sizeof *file);
	if (asprintf(&path, "%s/%s", directory + 1, name) < 0) {
		file->reason = PM_REASON_unsupported;
		return;
	}
	if (pm_procfile_open(&file->f, root, path) < 0)
		file->reason = pm_reason_errno(errno);
	free(path);
}

static void close_files(struct state *s)
{
	for (int i = 0; i < NONE; i++)
		pm_procfile_close(&s->file[i].f);
	for (int i = 0; i < s->limits; i++)
		pm_procfile_close(&s->limit[i].f);
	s->limits = 0;
}

/* Open memory.max of a group and of all above it. */
static void open_limits(struct state *s, const char *directory, size_t mount_n)
{
	char *path = strdup(directory);

	while (path && s->limits < LEVELS_MAX) {
		char *slash = strrchr(path, '/');

		open_file(&s->limit[s->limits], s->root, path, "memory.max");
		if (s->limit[s->limits].f.path)
			s->limits++;
		if (!slash || (size_t)(slash - path) < mount_n)
			break;
		*slash = '\0';
	}
	free(path);
}

/* Open the files of the given group, or else of the groups in this text of /proc/PID/cgroup.
 * Returns how many groups there are. */
static int open_files(struct state *s, const char *text)
{
	struct pm_procfile mounts;
	struct pm_cgroupdir dir;
	const char *mountinfo;
	int groups = 0;

	for (int i = 0; i < NONE; i++) {
		memset(&s->file[i], 0, sizeof s->file[i]);
		s->file[i].reason = PM_REASON_absent;
	}
	if (pm_procfile_open(&mounts, s->root, "proc/self/mountinfo") < 0)
		return 0;
	if (pm_procfile_read(&mounts, &mountinfo) >= 0) {
		groups = s->directory ? pm_cgroupdir_at(&dir, s->root, s->directory, mountinfo)
				      : pm_cgroupdir_find(&dir, s->root, text, mountinfo);
		for (int i = 0; i < NONE; i++)
			if (dir.path[file_info[i].hierarchy])
				open_file(&s->file[i], s->root, dir.path[file_info[i].hierarchy],
					  file_info[i].name);
		if (dir.path[PM_CGROUPDIR_UNIFIED])
			open_limits(s, dir.path[PM_CGROUPDIR_UNIFIED],
				    dir.mount_n[PM_CGROUPDIR_UNIFIED]);
		pm_cgroupdir_free(&dir);
	}
	pm_procfile_close(&mounts);
	return groups;
}

static void cgroup_close(void *state)
{
	struct state *s = state;

	close_files(s);
	pm_procfile_close(&s->cgroup);
	free(s->where);
	free(s);
}

static int cgroup_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	char path[64] = "proc/self/cgroup", where[72];
	const char *text;

	if (target->pid)
		snprintf(path, sizeof path, "proc/%d/cgroup", (int)target->pid);
	snprintf(where, sizeof where, "/%s", path);
	if (!s)
		return pm_source_unavailable(why, where);
	s->root = s->io.root = target->root;
	s->directory = target->cgroup;
	if (pm_procfile_open(&s->cgroup, target->root, path) < 0 ||
	    pm_procfile_read(&s->cgroup, &text) < 0 || !(s->where = strdup(text))) {
		pm_source_unavailable(why, where);
		cgroup_close(s);
		return -1;
	}
	if (open_files(s, text) <= 0) {
		cgroup_close(s);
		why->reason = PM_REASON_absent;
		return pm_err(&why->err, "the job has no control group of its own");
	}
	for (int r = 0; r < RESOURCES; r++)
		for (int v = 0; v < PM_PRESSURE_VALUES; v++)
			s->pressure[r][v] =
				pm_sink_series(sink, (size_t)(PRESSURE + v), resource_info[r].name);
	*state = s;
	return 0;
}

/* --- one sample ------------------------------------------------------------------------------- */

static void read_file(struct file *file)
{
	ssize_t n;

	file->text = NULL;
	if (!file->f.path)
		return;
	n = pm_procfile_read(&file->f, &file->text);
	if (n < 0) {
		file->reason = pm_reason_errno(errno);
		file->text = NULL;
		return;
	}
	file->n = (size_t)n;
}

/* Read a file that is one number. Returns 0, or -1 with the reason. */
static int read_number(const struct file *file, int64_t *value, enum pm_reason *reason)
{
	*reason = PM_REASON_parse;
	if (file->n == 4 && memcmp(file->text, "max\n", 4) == 0)
		*reason = PM_REASON_absent; /* no limit */
	else if (pm_keyfile_number(file->text, file->n, value) == 0)
		return 0;
	return -1;
}

static void put_place(struct state *s, struct pm_sink *sink, int series, const struct place *place)
{
	const struct file *file = &s->file[place->file];
	enum pm_reason reason = PM_REASON_parse;
	int64_t value;
	int result;

	switch (place->form) {
	case NUMBER:
		result = read_number(file, &value, &reason);
		break;
	case LINE:
		result = pm_procfile_key(file->text, file->n, place->key, "", &value);
		reason = result < 0 ? pm_reason_errno(errno) : reason;
		break;
	default:
		result = pm_cgroupio_sum(&s->io, file->text, file->n, place->key,
					 place->form == DEVICES2 ? '=' : ' ', &value);
	}
	if (result == 0)
		pm_sink_value(sink, series, value / place->divisor);
	else
		pm_sink_unknown(sink, series, reason);
}

/* Put a value from the first of its places that is readable. */
static void put_value(struct state *s, struct pm_sink *sink, int series)
{
	enum pm_reason reason = PM_REASON_absent;

	for (int i = 0; i < 2; i++) {
		const struct place *place = &place_info[series][i];

		if (place->file == NONE)
			continue;
		if (s->file[place->file].text) {
			put_place(s, sink, series, place);
			if (sink->series[series].known ||
			    sink->series[series].reason != PM_REASON_absent)
				return;
		} else if (reason == PM_REASON_absent) {
			reason = s->file[place->file].reason;
		}
	}
	pm_sink_unknown(sink, series, reason);
}

/* Put the least memory limit of the group and those above. Version 2 has a limit per group, version
 * 1 has the least one in memory.stat. */
static void put_limit(struct state *s, struct pm_sink *sink)
{
	const struct file *v1 = &s->file[MEMORY1];
	enum pm_reason reason = PM_REASON_absent;
	int64_t least = NO_LIMIT, value;

	for (int i = 0; i < s->limits; i++) {
		enum pm_reason why = s->limit[i].reason;

		read_file(&s->limit[i]);
		if (s->limit[i].text && read_number(&s->limit[i], &value, &why) == 0)
			least = value < least ? value : least;
		else if (why != PM_REASON_absent)
			reason = why;
	}
	if (!s->limits && v1->text &&
	    pm_procfile_key(v1->text, v1->n, "hierarchical_memory_limit ", "", &value) == 0)
		least = value;
	else if (!s->limits)
		reason = v1->text ? pm_reason_errno(errno) : v1->reason;
	if (least < NO_LIMIT && reason == PM_REASON_absent)
		pm_sink_value(sink, MEMORY_LIMIT, least);
	else
		pm_sink_unknown(sink, MEMORY_LIMIT, reason);
}

/* Follow the process if it was moved to another group. Looks once a second: few are ever moved. */
static void follow_process(struct state *s)
{
	const char *text;
	struct timespec now;
	char *copy;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	/* Less than a second, so that with an interval of 1 s every sample looks, early or late. */
	if (s->root[0] == '\0' && now.tv_sec * 1000 + now.tv_nsec / 1000000 < s->followed_ms + 900)
		return;
	s->followed_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (s->directory || pm_procfile_read(&s->cgroup, &text) <= 0 || strcmp(text, s->where) == 0)
		return;
	copy = strdup(text);
	if (!copy)
		return;
	free(s->where);
	s->where = copy;
	close_files(s);
	open_files(s, copy);
}

static void cgroup_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	follow_process(s);
	for (int i = 0; i < NONE; i++)
		read_file(&s->file[i]);
	for (int i = 0; i < MEMORY_LIMIT; i++)
		put_value(s, sink, i);
	put_limit(s, sink);
	for (int r = 0; r < RESOURCES; r++) {
		const struct file *file = &s->file[resource_info[r].file];

		if (file->text)
			pm_pressure_put(file->text, file->n, sink, s->pressure[r]);
		for (int v = 0; !file->text && v < PM_PRESSURE_VALUES; v++)
			pm_sink_unknown(sink, s->pressure[r][v], file->reason);
	}
}

const struct pm_source pm_source_cgroup = {
	.name = "cgroup",
	.help = "resources used by the job's control group",
	.metrics = metrics,
	.metrics_count = METRICS,
	.open = cgroup_open,
	.sample = cgroup_sample,
	.close = cgroup_close,
};
