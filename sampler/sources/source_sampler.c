/* Source "sampler": the cost and the punctuality of the sampler itself. */
#include "config.h"

#include "sampler/source.h"

#include "common/safe/rusage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
	USERTIME,
	SYSTEMTIME,
	RSSMAX,
	LATE,
	MISSED,
	LOST,
	WRITTEN,
	CHECKPOINTS,
	LATE_READINGS,
	FAILURES,
	COST
};

/* clang-format off */
static const struct pm_metric metrics[] = {
	[USERTIME] = { "usertime", "us", "CPU time of the sampler in user mode", NULL, false,
		PM_METRIC_COUNTER },
	[SYSTEMTIME] = { "systemtime", "us", "CPU time of the sampler in the kernel", NULL, false,
		PM_METRIC_COUNTER },
	[RSSMAX] = { "rssmax", "B", "peak resident memory of the sampler", "source", true,
		PM_METRIC_GAUGE },
	[LATE] = { "late", "us", "delay of the sample after its scheduled time", NULL,
		false, PM_METRIC_GAUGE },
	[MISSED] = { "missed", "n", "scheduled samples that were skipped", NULL, false,
		PM_METRIC_COUNTER },
	[LOST] = { "lost", "n", "samples that could not be written", NULL, false, PM_METRIC_COUNTER },
	[WRITTEN] = { "written", "B", "bytes of series written", NULL, false, PM_METRIC_COUNTER },
	[CHECKPOINTS] = { "checkpoints", "n", "number of times the series file was flushed to disk", NULL,
		false, PM_METRIC_COUNTER },
	[LATE_READINGS] = { "late_readings", "n", "readings that were late", "source",
		true, PM_METRIC_COUNTER },
	[FAILURES] = { "failures", "n", "number of source reader processes that ended", "source", true,
		PM_METRIC_COUNTER },
	[COST] = { "cost", "ns", "CPU time spent in each source", "source", false, PM_METRIC_COUNTER },
};
/* clang-format on */

#define METRICS (sizeof metrics / sizeof metrics[0])

struct state {
	const struct pm_own *own;
	int series[PM_SOURCES][METRICS]; /* of each source; -1: none yet */
};

/* At most one sampler per process opens this source at a time: the values are the process's. */
static int sampler_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "sampler");
	s->own = target->own;
	memset(s->series, -1, sizeof s->series);
	*state = s;
	return 0;
}

/* Put a source's value of a metric. The series begins with the first value that is not 0. */
static void put_metric(struct state *s, struct pm_sink *sink, size_t id, size_t metric,
		       int64_t value)
{
	int *series = &s->series[id][metric];

	if (*series < 0 && value)
		*series = pm_sink_series(sink, metric, pm_source_table[id]->name);
	pm_sink_value(sink, *series, value);
}

static void sampler_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const struct pm_own *own = s->own;
	uint64_t late = 0, failures = 0;
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		pm_sink_value(sink, USERTIME, pm_rusage_us(&usage.ru_utime) + own->user_us);
		pm_sink_value(sink, SYSTEMTIME, pm_rusage_us(&usage.ru_stime) + own->system_us);
		pm_sink_value(sink, RSSMAX, (int64_t)usage.ru_maxrss * 1024 + own->resident);
	}
	if (own->scheduled)
		pm_sink_value(sink, LATE, own->late_us);
	pm_sink_value(sink, MISSED, (int64_t)own->missed);
	pm_sink_value(sink, LOST, (int64_t)own->lost);
	pm_sink_value(sink, WRITTEN, (int64_t)own->written);
	pm_sink_value(sink, CHECKPOINTS, (int64_t)own->checkpoints);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_own_source *one = &own->source[id];

		late += one->late;
		failures += one->failures;
		if (!one->used)
			continue;
		put_metric(s, sink, id, COST, (int64_t)one->cost_ns);
		put_metric(s, sink, id, RSSMAX, one->resident);
		put_metric(s, sink, id, LATE_READINGS, (int64_t)one->late);
		put_metric(s, sink, id, FAILURES, (int64_t)one->failures);
	}
	pm_sink_value(sink, LATE_READINGS, (int64_t)late);
	pm_sink_value(sink, FAILURES, (int64_t)failures);
}

static void sampler_close(void *state)
{
	free(state);
}

const struct pm_source pm_source_sampler = {
	.name = "sampler",
	.help = "the sampler itself: its cost and punctuality",
	.metrics = metrics,
	.metrics_count = METRICS,
	.loop = true,
	.open = sampler_open,
	.sample = sampler_sample,
	.close = sampler_close,
};
