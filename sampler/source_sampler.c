/* Source "sampler": what the sampler itself costs, and how well it keeps its time. */
#include "config.h"

#include "sampler/source.h"

#include "common/rusage.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { USERTIME, SYSTEMTIME, MAXRSS, LATE, MISSED, LOST, COST };

/* clang-format off */
static const struct pm_metric metrics[] = {
	[USERTIME] = { "usertime", "us", "CPU time of the sampler in user mode", NULL, false,
		PM_METRIC_COUNTER },
	[SYSTEMTIME] = { "systemtime", "us", "CPU time of the sampler in the kernel", NULL, false,
		PM_METRIC_COUNTER },
	[MAXRSS] = { "rssmax", "B", "peak resident memory of the sampler", NULL, false, PM_METRIC_GAUGE },
	[LATE] = { "late", "us", "time between the scheduled moment of this tick and its sample", NULL,
		false, PM_METRIC_GAUGE },
	[MISSED] = { "missed", "n", "scheduled ticks that passed without a sample", NULL, false,
		PM_METRIC_COUNTER },
	[LOST] = { "lost", "n", "samples that could not be written", NULL, false, PM_METRIC_COUNTER },
	[COST] = { "cost", "ns", "CPU time spent in each source", "source", false, PM_METRIC_COUNTER },
};
/* clang-format on */

struct state {
	const struct pm_own *own;
	int cost[PM_SOURCES]; /* series */
};

/* One sampler per process opens it at a time: it describes the process. */
static int sampler_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "sampler");
	s->own = target->own;
	for (int i = 0; i < PM_SOURCES; i++)
		s->cost[i] = pm_sink_series(sink, COST, pm_source_table[i]->name);
	*state = s;
	return 0;
}

static void sampler_sample(void *state, struct pm_sink *sink)
{
	const struct state *s = state;
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		pm_sink_value(sink, USERTIME, pm_rusage_us(&usage.ru_utime));
		pm_sink_value(sink, SYSTEMTIME, pm_rusage_us(&usage.ru_stime));
		pm_sink_value(sink, MAXRSS, (int64_t)usage.ru_maxrss * 1024);
	}
	if (s->own->scheduled)
		pm_sink_value(sink, LATE, s->own->late_us);
	pm_sink_value(sink, MISSED, (int64_t)s->own->missed);
	pm_sink_value(sink, LOST, (int64_t)s->own->lost);
	for (int i = 0; i < PM_SOURCES; i++)
		pm_sink_value(sink, s->cost[i], (int64_t)s->own->cost_ns[i]);
}

static void sampler_close(void *state)
{
	free(state);
}

const struct pm_source pm_source_sampler = {
	.name = "sampler",
	.help = "the sampler itself: its cost and punctuality",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = sampler_open,
	.sample = sampler_sample,
	.close = sampler_close,
};
