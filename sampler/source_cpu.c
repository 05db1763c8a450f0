/* Source "cpu": how each CPU of the node spent its time, from /proc/stat (proc_stat(5)). */
#include "config.h"

#include "sampler/procfile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
/* The columns of a cpu line, in their order; older kernels have fewer. */
static const struct pm_metric metrics[] = {
	{ "user", "us", "time in user mode, guest included", "cpu", true, PM_METRIC_COUNTER },
	{ "nice", "us", "time in user mode at low priority, guest_nice included", "cpu", true,
		PM_METRIC_COUNTER },
	{ "system", "us", "time in the kernel", "cpu", true, PM_METRIC_COUNTER },
	{ "idle", "us", "time with nothing to do", "cpu", true, PM_METRIC_COUNTER },
	{ "iowait", "us", "idle time while a task waited for storage", "cpu", true, PM_METRIC_COUNTER },
	{ "irq", "us", "time in interrupts", "cpu", true, PM_METRIC_COUNTER },
	{ "softirq", "us", "time in soft interrupts", "cpu", true, PM_METRIC_COUNTER },
	{ "steal", "us", "time that the hypervisor gave to others", "cpu", true, PM_METRIC_COUNTER },
	{ "guest", "us", "time running virtual CPUs; part of user", "cpu", true, PM_METRIC_COUNTER },
	{ "guest_nice", "us", "time running virtual CPUs at low priority; part of nice", "cpu", true,
		PM_METRIC_COUNTER },
#define COLUMNS 10
#define CPUS COLUMNS
	[CPUS] = { "cpus", "n", "CPUs online", NULL, false, PM_METRIC_GAUGE },
};
/* clang-format on */

struct state {
	struct pm_procfile file;
	int *series;     /* first series of CPU n at [n], -1: none yet; owned */
	size_t capacity; /* of series */
	int64_t us_per_tick;
};

/* The first series of a CPU, added at its first sight; -1 when memory is short. */
static int series_of(struct state *s, struct pm_sink *sink, int64_t cpu)
{
	char object[32];
	int first;

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

/* Read the numbers of one line, which lies between p and its newline, into series from first. */
static void put_line(const struct state *s, struct pm_sink *sink, int first, const char *p,
		     const char *newline)
{
	int column = 0;

	for (; column < COLUMNS && p < newline; column++) {
		int64_t ticks;

		while (*p == ' ')
			p++;
		if (pm_procfile_number(&p, newline + 1, &ticks) < 0 ||
		    ticks > INT64_MAX / s->us_per_tick || (*p != ' ' && *p != '\n'))
			break;
		pm_sink_value(sink, first + column, ticks * s->us_per_tick);
	}
	/* At the end of the line the kernel has no more columns; anything else is garbage. */
	for (; column < COLUMNS; column++)
		pm_sink_unknown(sink, first + column,
				p == newline ? PM_REASON_unsupported : PM_REASON_parse);
}

/* Put every cpu line at p; they come first. Returns how many CPUs there are, or -1 where the text
 * is cut among them or is not what the kernel documents. */
static int64_t put_text(struct state *s, struct pm_sink *sink, const char *p, const char *end)
{
	int64_t cpus = 0;

	while (end - p >= 3 && memcmp(p, "cpu", 3) == 0) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		int64_t cpu;
		int first = 0; /* the line of all CPUs: series have their metric's number */

		if (!newline)
			return -1;
		p += 3;
		if (*p != ' ') {
			if (pm_procfile_number(&p, newline, &cpu) < 0 || cpu > UINT16_MAX)
				return -1;
			first = series_of(s, sink, cpu);
			cpus++;
		}
		if (first >= 0)
			put_line(s, sink, first, p, newline);
		p = newline + 1;
	}
	return cpus && p < end ? cpus : -1; /* other lines always follow */
}

static int cpu_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/stat");
	if (pm_procfile_open(&s->file, target->root, "proc/stat") < 0) {
		int saved = errno;

		free(s);
		errno = saved;
		return pm_source_unavailable(why, "/proc/stat");
	}
	s->us_per_tick = 1000000 / sysconf(_SC_CLK_TCK);
	*state = s;
	return 0;
}

static void cpu_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const char *text;
	ssize_t n = pm_procfile_read(&s->file, &text);
	int64_t cpus;

	if (n < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	cpus = put_text(s, sink, text, text + n);
	if (cpus >= 0)
		pm_sink_value(sink, CPUS, cpus);
	else
		pm_sink_unknown(sink, CPUS, PM_REASON_parse);
}

static void cpu_close(void *state)
{
	struct state *s = state;

	pm_procfile_close(&s->file);
	free(s->series);
	free(s);
}

const struct pm_source pm_source_cpu = {
	.name = "cpu",
	.help = "the node's CPUs, each and together",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = cpu_open,
	.sample = cpu_sample,
	.close = cpu_close,
};
