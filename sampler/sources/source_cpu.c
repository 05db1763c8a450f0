/* Source "cpu": times of each CPU of the node, and interrupts, forks and tasks of the node, from
 * /proc/stat (proc_stat(5)). */
#include "config.h"

#include "sampler/cpuset.h"
#include "sampler/kernel/procfile.h"
#include "sampler/sources/cpuextremes.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, COLUMNS };

/* Metrics after the columns. Each metric has a series without an object, of the same number. */
enum {
	CPUS = COLUMNS,
	BUSIEST,
	IDLEST,
	SOFTIRQS,
	INTERRUPTS,
	SWITCHES,
	FORKS,
	RUNNING,
	BLOCKED,
	ALLOCATED,
	TIMES
};

/* clang-format off */
/* The columns of a cpu line, in their order; older kernels have fewer. */
static const struct pm_metric metrics[] = {
	{ "user", "us", "time in user mode, guest included", "cpu", true, PM_METRIC_COUNTER },
	{ "nice", "us", "time in user mode at low priority, guest_nice included", "cpu", true,
		PM_METRIC_COUNTER },
	{ "system", "us", "time in the kernel", "cpu", true, PM_METRIC_COUNTER },
	{ "idle", "us", "idle time", "cpu", true, PM_METRIC_COUNTER },
	{ "iowait", "us", "idle time while a task waited for storage", "cpu", true, PM_METRIC_COUNTER },
	{ "irq", "us", "time in interrupts", "cpu", true, PM_METRIC_COUNTER },
	{ "softirq", "us", "time in soft interrupts", "cpu", true, PM_METRIC_COUNTER },
	{ "steal", "us", "time the hypervisor gave to other virtual machines", "cpu", true, PM_METRIC_COUNTER },
	{ "guest", "us", "time running virtual CPUs; part of user", "cpu", true, PM_METRIC_COUNTER },
	{ "guest_nice", "us", "time running virtual CPUs at low priority; part of nice", "cpu", true,
		PM_METRIC_COUNTER },
	[CPUS] = { "cpus", "n", "CPUs online", NULL, false, PM_METRIC_GAUGE },
	[BUSIEST] = { "busiest", "0.01%", "share of the time since the previous sample in which the busiest CPU was busy", NULL, false, PM_METRIC_GAUGE },
	[IDLEST] = { "idlest", "0.01%", "the same of the idlest CPU", NULL, false, PM_METRIC_GAUGE },
	[SOFTIRQS] = { "softirqs", "n", "soft interrupts", "kind", true, PM_METRIC_COUNTER },
	[INTERRUPTS] = { "interrupts", "n", "interrupts", NULL, false, PM_METRIC_COUNTER },
	[SWITCHES] = { "context_switches", "n", "context switches", NULL,
		false, PM_METRIC_COUNTER },
	[FORKS] = { "forks", "n", "processes and threads created", NULL, false, PM_METRIC_COUNTER },
	[RUNNING] = { "running", "n", "tasks running or waiting for a CPU", NULL, false, PM_METRIC_GAUGE },
	[BLOCKED] = { "blocked", "n", "tasks waiting for storage", NULL, false, PM_METRIC_GAUGE },
	[ALLOCATED] = { "allocated", "n", "CPUs that the job may use: affinity and cpuset", NULL, false,
		PM_METRIC_GAUGE },
	/* The rest in the order of enum pm_cpuset_time. */
	{ "allocated_busy", "us", "busy time of the job's CPUs since the first sample", NULL, false,
		PM_METRIC_COUNTER },
	{ "allocated_idle", "us", "idle time of the job's CPUs, iowait included", NULL, false,
		PM_METRIC_COUNTER },
	{ "allocated_steal", "us", "time the hypervisor took from the job's CPUs", NULL, false,
		PM_METRIC_COUNTER },
};
/* clang-format on */

#define METRICS ((int)(sizeof metrics / sizeof metrics[0]))

/* The columns of the softirq line behind their sum. */
static const char *const softirq_kind[] = { "hi",       "timer",   "net_tx", "net_rx",  "block",
					    "irq_poll", "tasklet", "sched",  "hrtimer", "rcu" };

#define KINDS ((int)(sizeof softirq_kind / sizeof softirq_kind[0]))

/* The lines after those of the CPUs. Only their first number is read, except of softirq. */
static const struct {
	const char *word;
	int series;
} line_info[] = {
	{ "intr ", INTERRUPTS },       { "ctxt ", SWITCHES },         { "processes ", FORKS },
	{ "procs_running ", RUNNING }, { "procs_blocked ", BLOCKED }, { "softirq ", SOFTIRQS },
};

#define LINES ((int)(sizeof line_info / sizeof line_info[0]))

struct state {
	struct pm_procfile file;
	struct pm_cpuset allocated;
	int softirq[KINDS]; /* series */
	int *series;        /* first series of CPU n at [n], -1: none yet; owned */
	size_t capacity;    /* of series */
	bool no_series;     /* of single CPUs */
	struct pm_cpuextremes extremes;
	int64_t us_per_tick;
};

/* A line of times. */
struct line {
	int64_t us[COLUMNS];
	int count;             /* of times that are known */
	enum pm_reason reason; /* why the others are not */
};

/* The first series of a CPU, added if it is new; -1: it has none, or memory is short. */
static int find_series(struct state *s, struct pm_sink *sink, int64_t cpu)
{
	char object[32];
	int first;

	if (s->no_series)
		return -1;
	if ((size_t)cpu >= s->capacity) {
		size_t capacity = s->capacity ? s->capacity : 16;
		int *more;

		while (capacity <= (size_t)cpu)
			capacity *= 2;
		more = realloc(s->series, capacity * sizeof *more);
		if (!more)
			return -1;
		for (size_t i = s->capacity; i < capacity; i++)
			more[i] = -1;
		s->series = more;
		s->capacity = capacity;
	}
	if (s->series[cpu] >= 0)
		return s->series[cpu];
	snprintf(object, sizeof object, "cpu%d", (int)cpu);
	first = pm_sink_series(sink, 0, object);
	for (size_t i = 1; first >= 0 && i < COLUMNS; i++)
		if (pm_sink_series(sink, i, object) < 0)
			return -1;
	s->series[cpu] = first;
	return first;
}

/* Read the numbers of one line, from p to its newline. */
static void read_line(const struct state *s, struct line *l, const char *p, const char *newline)
{
	for (l->count = 0; l->count < COLUMNS && p < newline; l->count++) {
		int64_t ticks;

		while (*p == ' ')
			p++;
		if (pm_procfile_number(&p, newline + 1, &ticks) < 0 ||
		    ticks > INT64_MAX / s->us_per_tick || (*p != ' ' && *p != '\n'))
			break;
		l->us[l->count] = ticks * s->us_per_tick;
	}
	/* A line that ends early is of a kernel with fewer columns; anything else is garbage. */
	l->reason = p == newline ? PM_REASON_unsupported : PM_REASON_parse;
}

/* Put a line into the series from `first` on. */
static void put_line(struct pm_sink *sink, int first, const struct line *l)
{
	for (int i = 0; i < COLUMNS; i++)
		if (i < l->count)
			pm_sink_value(sink, first + i, l->us[i]);
		else
			pm_sink_unknown(sink, first + i, l->reason);
}

/* Add the times of a CPU to those of the job's CPUs, and to what is known of the busiest. */
static void add_cpu(struct state *s, const struct line *l, int64_t cpu)
{
	/* The times of virtual CPUs are part of user and nice: added, they would count twice. */
	static const enum pm_cpuset_time part[] = {
		[USER] = PM_CPUSET_BUSY,    [NICE] = PM_CPUSET_BUSY,   [SYSTEM] = PM_CPUSET_BUSY,
		[IDLE] = PM_CPUSET_IDLE,    [IOWAIT] = PM_CPUSET_IDLE, [IRQ] = PM_CPUSET_BUSY,
		[SOFTIRQ] = PM_CPUSET_BUSY, [STEAL] = PM_CPUSET_STEAL,
	};
	int64_t us[PM_CPUSET_TIMES] = { 0 };

	/* A time that this kernel lacks, such as steal, counts as 0. */
	if (l->count <= STEAL && l->reason != PM_REASON_unsupported) {
		pm_cpuset_add(&s->allocated, cpu, NULL);
		return;
	}
	for (int i = USER; i <= STEAL && i < l->count; i++)
		us[part[i]] += l->us[i];
	pm_cpuset_add(&s->allocated, cpu, us);
	if (l->count > IDLE)
		pm_cpuextremes_add(&s->extremes, (size_t)cpu,
				   us[PM_CPUSET_BUSY] + us[PM_CPUSET_STEAL], us[PM_CPUSET_IDLE]);
}

/* Put the cpu lines, which come first, and step over them. Returns how many CPUs there are, or -1
 * where the text is cut among them or malformed. */
static int64_t put_cpus(struct state *s, struct pm_sink *sink, const char **text, const char *end)
{
	int64_t cpus = 0;
	const char *p = *text;

	while (end - p >= 3 && memcmp(p, "cpu", 3) == 0) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		int64_t cpu = -1;
		int first = 0; /* for the line of all CPUs: series have their metric's number */
		struct line line;

		if (!newline)
			return -1;
		p += 3;
		if (*p != ' ') {
			if (pm_procfile_number(&p, newline, &cpu) < 0 || cpu > UINT16_MAX)
				return -1;
			first = find_series(s, sink, cpu);
			cpus++;
		}
		read_line(s, &line, p, newline);
		if (first >= 0)
			put_line(sink, first, &line);
		if (cpu >= 0)
			add_cpu(s, &line, cpu);
		p = newline + 1;
	}
	*text = p;
	return cpus && p < end ? cpus : -1; /* other lines always follow */
}

/* Put the kinds of soft interrupts, which follow their sum on its line. */
static void put_softirqs(const struct state *s, struct pm_sink *sink, const char *p,
			 const char *newline)
{
	for (int i = 0; i < KINDS; i++) {
		int64_t value;

		if (p == newline)
			pm_sink_unknown(sink, s->softirq[i], PM_REASON_unsupported);
		else if (*p++ != ' ' || pm_procfile_number(&p, newline + 1, &value) < 0)
			p = newline, pm_sink_unknown(sink, s->softirq[i], PM_REASON_parse);
		else
			pm_sink_value(sink, s->softirq[i], value);
	}
}

/* Put the lines after those of the CPUs. */
static void put_rest(const struct state *s, struct pm_sink *sink, const char *p, const char *end)
{
	int next = 0;

	for (const char *newline; p < end; p = newline + 1) {
		int i = 0;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return;
		for (; i < LINES; i++) {
			size_t n = strlen(line_info[(next + i) % LINES].word);

			if ((size_t)(newline - p) >= n &&
			    memcmp(p, line_info[(next + i) % LINES].word, n) == 0)
				break;
		}
		if (i == LINES)
			continue;
		next = (next + i) % LINES;
		int64_t value;
		int series = line_info[next].series;

		p += strlen(line_info[next].word);
		if (pm_procfile_number(&p, newline + 1, &value) < 0 || (*p != ' ' && *p != '\n')) {
			pm_sink_unknown(sink, series, PM_REASON_parse);
			continue;
		}
		pm_sink_value(sink, series, value);
		if (series == SOFTIRQS)
			put_softirqs(s, sink, p, newline);
	}
}

static int cpu_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "/proc/stat");
	if (pm_procfile_open(&s->file, target->root, "proc/stat") < 0) {
		int saved = errno;

		free(s);
		errno = saved;
		return pm_source_unavailable(why, "/proc/stat");
	}
	s->us_per_tick = 1000000 / sysconf(_SC_CLK_TCK);
	s->no_series = target->no_cpu_series;
	pm_cpuset_open(&s->allocated, target->root, target->pid);
	for (int i = 0; i < KINDS; i++)
		s->softirq[i] = pm_sink_series(sink, SOFTIRQS, softirq_kind[i]);
	*state = s;
	return 0;
}

static void put_allocated(const struct pm_cpuset *a, struct pm_sink *sink)
{
	if (a->current)
		pm_sink_value(sink, ALLOCATED, a->cpus);
	else
		pm_sink_unknown(sink, ALLOCATED, a->reason);
	for (int i = 0; i < PM_CPUSET_TIMES; i++)
		if (a->known)
			pm_sink_value(sink, TIMES + i, a->sum_us[i]);
		else
			pm_sink_unknown(sink, TIMES + i, a->reason);
}

static void put_extremes(const struct pm_cpuextremes *x, struct pm_sink *sink)
{
	if (!x->count)
		return; /* nothing to compare with */
	pm_sink_value(sink, BUSIEST, x->most);
	pm_sink_value(sink, IDLEST, x->least);
}

static void cpu_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const char *text, *end;
	ssize_t n = pm_procfile_read(&s->file, &text);
	int64_t cpus;

	if (n < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	pm_cpuset_begin(&s->allocated);
	pm_cpuextremes_begin(&s->extremes);
	end = text + n;
	cpus = put_cpus(s, sink, &text, end);
	if (cpus < 0) {
		for (int i = CPUS; i < METRICS; i++)
			pm_sink_unknown(sink, i, PM_REASON_parse);
		return;
	}
	pm_sink_value(sink, CPUS, cpus);
	put_allocated(&s->allocated, sink);
	put_extremes(&s->extremes, sink);
	put_rest(s, sink, text, end);
}

static void cpu_close(void *state)
{
	struct state *s = state;

	pm_procfile_close(&s->file);
	pm_cpuset_close(&s->allocated);
	pm_cpuextremes_free(&s->extremes);
	free(s->series);
	free(s);
}

const struct pm_source pm_source_cpu = {
	.name = "cpu",
	.help = "the node's CPUs, each and in total",
	.metrics = metrics,
	.metrics_count = METRICS,
	.open = cpu_open,
	.sample = cpu_sample,
	.close = cpu_close,
};
