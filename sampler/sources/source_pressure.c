/* Source "pressure": the time that tasks of the node waited for CPU, memory and storage. */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/sources/pressure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
static const struct pm_metric metrics[PM_PRESSURE_VALUES] = {
	[PM_PRESSURE_SOME] = { "some", "us", "time in which at least one task waited", "resource", false,
		PM_METRIC_COUNTER },
	[PM_PRESSURE_FULL] = { "full", "us", "time in which all runnable tasks waited", "resource",
		false, PM_METRIC_COUNTER },
	[PM_PRESSURE_SOME_AVG10] = { "some_avg10", "0.01%", "share of the last 10 s in which at least one task waited",
		"resource", false, PM_METRIC_GAUGE },
	[PM_PRESSURE_SOME_AVG60] = { "some_avg60", "0.01%", "share of the last minute in which at least one task waited",
		"resource", false, PM_METRIC_GAUGE },
	[PM_PRESSURE_SOME_AVG300] = { "some_avg300", "0.01%", "share of the last five minutes in which at least one task waited",
		"resource", false, PM_METRIC_GAUGE },
	[PM_PRESSURE_FULL_AVG10] = { "full_avg10", "0.01%", "share of the last 10 s in which all runnable tasks waited",
		"resource", false, PM_METRIC_GAUGE },
	[PM_PRESSURE_FULL_AVG60] = { "full_avg60", "0.01%", "share of the last minute in which all runnable tasks waited",
		"resource", false, PM_METRIC_GAUGE },
	[PM_PRESSURE_FULL_AVG300] = { "full_avg300", "0.01%", "share of the last five minutes in which all runnable tasks waited",
		"resource", false, PM_METRIC_GAUGE },
};
/* clang-format on */

static const char *const resource[] = { "cpu", "memory", "io", "irq" };

#define RESOURCES ((int)(sizeof resource / sizeof resource[0]))

struct state {
	struct pm_procfile file[RESOURCES]; /* path NULL: the kernel has none */
	int series[RESOURCES][PM_PRESSURE_VALUES];
};

static void pressure_close(void *state)
{
	struct state *s = state;

	for (int i = 0; i < RESOURCES; i++)
		pm_procfile_close(&s->file[i]);
	free(s);
}

static int pressure_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	bool any = false;

	if (!s)
		return pm_source_unavailable(why, "/proc/pressure");
	/* Backwards, so that if all fail, the error is that of the first file. */
	for (int i = RESOURCES - 1; i >= 0; i--) {
		char path[64], where[72];
		const char *text;

		snprintf(path, sizeof path, "proc/pressure/%s", resource[i]);
		snprintf(where, sizeof where, "/%s", path);
		/* A kernel started with psi=0 has files that cannot be read. */
		if (pm_procfile_open(&s->file[i], target->root, path) < 0) {
			pm_source_unavailable(why, where);
		} else if (pm_procfile_read(&s->file[i], &text) < 0) {
			pm_source_unavailable(why, where);
			pm_procfile_close(&s->file[i]);
		} else {
			any = true;
		}
	}
	if (!any) {
		pressure_close(s);
		return -1;
	}
	for (int i = 0; i < RESOURCES; i++)
		for (int v = 0; s->file[i].path && v < PM_PRESSURE_VALUES; v++)
			s->series[i][v] = pm_sink_series(sink, (size_t)v, resource[i]);
	*state = s;
	return 0;
}

static void pressure_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	for (int i = 0; i < RESOURCES; i++) {
		const char *text;
		ssize_t n;

		if (!s->file[i].path)
			continue;
		n = pm_procfile_read(&s->file[i], &text);
		if (n >= 0)
			pm_pressure_put(text, (size_t)n, sink, s->series[i]);
		for (int v = 0; n < 0 && v < PM_PRESSURE_VALUES; v++)
			pm_sink_unknown(sink, s->series[i][v], pm_reason_errno(errno));
	}
}

const struct pm_source pm_source_pressure = {
	.name = "pressure",
	.help = "time tasks of the node waited for resources (PSI)",
	.metrics = metrics,
	.metrics_count = PM_PRESSURE_VALUES,
	.open = pressure_open,
	.sample = pressure_sample,
	.close = pressure_close,
};
