/*
 * A source that measures nothing: copy it to source_NAME.c to write a new one. It is compiled and
 * tested so that it stays right, but not in sources.def.
 *
 * A new source needs: this file, a row in sources.def, its name in Makefile.inc, a unit test with
 * a small recorded tree (tests/unit/sampler/node.c shows how), and a section in perfmon-series(5),
 * whose list of metrics `make regenerate` writes.
 */
#include "config.h"

#include "sampler/sources/template.h"

#include <stdlib.h>

/* One name per metric, in the order of the table below. */
enum { NOTHING, NOTHING_PER_OBJECT };

static const struct pm_metric metrics[] = {
	/* Without objects: the series exists from the start and has the metric's number. */
	[NOTHING] = { "nothing", "n", "always 0", NULL, false, PM_METRIC_GAUGE },
	/* With objects: open, or sample when it finds a new object, adds a series for each. With
	 * `whole` true there would also be a series without an object, from the start. */
	[NOTHING_PER_OBJECT] = { "nothing_per_object", "n", "number of samples of this object",
				 "object", false, PM_METRIC_COUNTER },
};

/* The source's state: open files (procfile.h), numbers of series, buffers. */
struct state {
	int object;
	int64_t samples;
};

static int template_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)target; /* a real source opens its files below target->root ... */
	if (!s)       /* ... and reports like this that they are missing: */
		return pm_source_unavailable(why, "template");
	s->object = pm_sink_series(sink, NOTHING_PER_OBJECT, "object0");
	*state = s;
	return 0;
}

static void template_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	pm_sink_value(sink, NOTHING, 0);
	/* Give the series of an object that is gone back: pm_sink_forget(sink, s->object). */
	pm_sink_value(sink, s->object, ++s->samples);
}

static void template_close(void *state)
{
	free(state);
}

const struct pm_source pm_source_template = {
	.name = "template",
	.help = "nothing",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	/* Without a period a source is read at every tick. A source that may block, or is
	 * expensive, has one, such as .period_us = 10000000, and may have a limit on its CPU time,
	 * such as .budget_ppm = 1000. A source that uses target->tree has .tree = true. */
	.open = template_open,
	.sample = template_sample,
	.close = template_close,
};
