/*
 * Source "schedstat": how long tasks ran, and waited for a CPU, on each CPU and in all, from
 * /proc/schedstat of versions 15 to 17 (the kernel's Documentation/scheduler/sched-stats.rst). The
 * last three of the nine numbers of a CPU: time running, time waiting, in ns, and timeslices.
 */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/sources/dynobjects.h"
#include "sampler/sources/onefile.h"

#include <stdlib.h>
#include <string.h>

static const struct pm_metric metrics[] = {
	{ "running", "ns", "time that tasks ran", "cpu", true, PM_METRIC_COUNTER },
	{ "waiting", "ns", "time that tasks were ready to run and waited", "cpu", true,
	  PM_METRIC_COUNTER },
	{ "timeslices", "n", "how often tasks were given the CPU", "cpu", true, PM_METRIC_COUNTER },
};

#define COLUMNS (sizeof metrics / sizeof metrics[0])

static const struct pm_dynobjects_column columns[COLUMNS] = { { 1, 64 }, { 1, 64 }, { 1, 64 } };

/* Numbers of a CPU, and those before the columns. */
#define NUMBERS 9
#define BEFORE  6

/* CPUs with series of their own; all are in the sums. */
#define CPUS_MAX 1024

/* Versions with these columns; before 15 times were in jiffies. */
#define VERSION_LEAST 15
#define VERSION_MOST  17

struct state {
	void *file; /* onefile.h */
	struct pm_dynobjects cpus;
};

static int schedstat_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			  struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/schedstat");
	if (pm_onefile_open(&s->file, target, "proc/schedstat", why) < 0) {
		free(s);
		return -1;
	}
	pm_dynobjects_init(&s->cpus, columns, COLUMNS, target->no_cpu_series ? 0 : CPUS_MAX);
	*state = s;
	return 0;
}

/* Put the numbers of the line of a CPU, whose name ends at p. */
static void put_cpu(struct state *s, struct pm_sink *sink, const char *name, const char *p,
		    const char *newline)
{
	bool fresh;
	struct pm_object *cpu = pm_dynobjects_get(&s->cpus, name, (size_t)(p - name), &fresh);
	int64_t number[NUMBERS];
	int count = 0;

	if (!cpu)
		return;
	cpu->part = PM_DYNOBJECTS_COUNTED;
	while (count < NUMBERS && p < newline && *p == ' ') {
		p++;
		if (pm_procfile_number(&p, newline + 1, &number[count]) < 0)
			break;
		count++;
	}
	for (size_t i = 0; i < COLUMNS; i++)
		if (count == NUMBERS && (p == newline || *p == ' '))
			pm_dynobjects_value(&s->cpus, sink, cpu, i, number[BEFORE + i]);
		else
			pm_dynobjects_unknown(&s->cpus, sink, cpu, i, PM_REASON_parse);
}

/* Whether the text begins with a version that is known. */
static bool is_known(const char **text, const char *end)
{
	static const char word[] = "version ";
	int64_t version;

	if ((size_t)(end - *text) < sizeof word || memcmp(*text, word, sizeof word - 1) != 0)
		return false;
	*text += sizeof word - 1;
	return pm_procfile_number(text, end, &version) == 0 && version >= VERSION_LEAST &&
	       version <= VERSION_MOST;
}

static void schedstat_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const char *text, *end;
	const ssize_t n = pm_onefile_read(s->file, sink, &text);

	if (n < 0)
		return;
	end = text + n;
	if (!is_known(&text, end)) {
		pm_sink_clear(sink, PM_REASON_parse);
		return;
	}
	pm_dynobjects_begin(&s->cpus);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *blank;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		blank = memchr(p, ' ', (size_t)(newline - p));
		if (blank && blank - p > 3 && memcmp(p, "cpu", 3) == 0)
			put_cpu(s, sink, p, blank, newline);
	}
	pm_dynobjects_end(&s->cpus, sink);
	pm_dynobjects_sum(&s->cpus, sink);
}

static void schedstat_close(void *state)
{
	struct state *s = state;

	pm_onefile_close(s->file);
	pm_dynobjects_free(&s->cpus);
	free(s);
}

const struct pm_source pm_source_schedstat = {
	.name = "schedstat",
	.help = "time that tasks ran and waited for a CPU, by CPU and in all",
	.metrics = metrics,
	.metrics_count = COLUMNS,
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = schedstat_open,
	.sample = schedstat_sample,
	.close = schedstat_close,
};
