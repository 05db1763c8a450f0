/* Source "load": load averages, numbers of tasks and uptime of the node; proc_loadavg(5) and
 * proc_uptime(5). */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>

enum { LOAD1, LOAD5, LOAD15, RUNNABLE, TASKS, UPTIME };

/* clang-format off */
static const struct pm_metric metrics[] = {
	[LOAD1] = { "load1", "0.01", "tasks running or waiting for a CPU or storage, mean of one minute", NULL,
		false, PM_METRIC_GAUGE },
	[LOAD5] = { "load5", "0.01", "tasks running or waiting for a CPU or storage, mean of five minutes", NULL, false, PM_METRIC_GAUGE },
	[LOAD15] = { "load15", "0.01", "tasks running or waiting for a CPU or storage, mean of fifteen minutes", NULL, false, PM_METRIC_GAUGE },
	[RUNNABLE] = { "runnable", "n", "tasks running or waiting for a CPU now", NULL, false,
		PM_METRIC_GAUGE },
	[TASKS] = { "tasks", "n", "all tasks of the node: threads, kernel threads included", NULL, false,
		PM_METRIC_GAUGE },
	[UPTIME] = { "uptime", "us", "time since the node booted, suspend included", NULL, false,
		PM_METRIC_GAUGE },
};
/* clang-format on */

struct state {
	struct pm_procfile loadavg, uptime; /* either may be missing: its path is NULL */
};

static int load_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	bool loadavg, uptime;

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/loadavg");
	uptime = pm_procfile_open(&s->uptime, target->root, "proc/uptime") == 0;
	loadavg = pm_procfile_open(&s->loadavg, target->root, "proc/loadavg") == 0;
	if (!loadavg && !uptime) {
		pm_source_unavailable(why, "/proc/loadavg");
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

/* Read "0.21 0.37 0.39 1/719 19737\n". Returns false where the text is malformed. */
static bool read_loadavg(const char *p, const char *end, int64_t value[5])
{
	for (int i = 0; i < 3; i++)
		if (pm_procfile_decimal(&p, end, 2, &value[i]) < 0 || *p++ != ' ')
			return false;
	return pm_procfile_number(&p, end, &value[3]) == 0 && *p++ == '/' &&
	       pm_procfile_number(&p, end, &value[4]) == 0 && *p == ' ';
}

static void load_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const char *text;
	ssize_t n;

	if (s->loadavg.path) {
		int64_t value[5];
		bool good;

		n = pm_procfile_read(&s->loadavg, &text);
		good = n >= 0 && read_loadavg(text, text + n, value);
		for (int i = 0; i < 5; i++)
			if (good)
				pm_sink_value(sink, LOAD1 + i, value[i]);
			else
				pm_sink_unknown(sink, LOAD1 + i,
						n < 0 ? pm_reason_errno(errno) : PM_REASON_parse);
	}
	if (s->uptime.path) {
		int64_t us;

		n = pm_procfile_read(&s->uptime, &text);
		if (n < 0)
			pm_sink_unknown(sink, UPTIME, pm_reason_errno(errno));
		else if (pm_procfile_decimal(&text, text + n, 6, &us) < 0 || *text != ' ')
			pm_sink_unknown(sink, UPTIME, PM_REASON_parse);
		else
			pm_sink_value(sink, UPTIME, us);
	}
}

static void load_close(void *state)
{
	struct state *s = state;

	pm_procfile_close(&s->loadavg);
	pm_procfile_close(&s->uptime);
	free(s);
}

const struct pm_source pm_source_load = {
	.name = "load",
	.help = "the node's load and uptime",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = load_open,
	.sample = load_sample,
	.close = load_close,
};
