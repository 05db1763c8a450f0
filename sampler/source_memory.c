/* Source "memory": the node's memory and swap, from /proc/meminfo (proc_meminfo(5)). */
#include "config.h"

#include "sampler/procfile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL, FREE, AVAILABLE, BUFFERS, CACHED, SWAP_TOTAL, SWAP_FREE, USED, SWAP_USED };

/* clang-format off */
static const struct pm_metric metrics[] = {
	[TOTAL] = { "total", "B", "memory of the node", NULL, false, PM_METRIC_GAUGE },
	[FREE] = { "free", "B", "memory not used for anything", NULL, false, PM_METRIC_GAUGE },
	[AVAILABLE] = { "available", "B", "memory that programs can have without swapping", NULL, false,
		PM_METRIC_GAUGE },
	[BUFFERS] = { "buffers", "B", "cache of block devices", NULL, false, PM_METRIC_GAUGE },
	[CACHED] = { "cached", "B", "page cache, shared memory included", NULL, false, PM_METRIC_GAUGE },
	[SWAP_TOTAL] = { "swap_total", "B", "swap space", NULL, false, PM_METRIC_GAUGE },
	[SWAP_FREE] = { "swap_free", "B", "swap space not used", NULL, false, PM_METRIC_GAUGE },
	[USED] = { "used", "B", "total less available", NULL, false, PM_METRIC_GAUGE },
	[SWAP_USED] = { "swap_used", "B", "swap_total less swap_free", NULL, false, PM_METRIC_GAUGE },
};
/* clang-format on */

/* The line of each metric that is read, not computed. */
static const char *const keys[] = {
	[TOTAL] = "MemTotal:",     [FREE] = "MemFree:",  [AVAILABLE] = "MemAvailable:",
	[BUFFERS] = "Buffers:",    [CACHED] = "Cached:", [SWAP_TOTAL] = "SwapTotal:",
	[SWAP_FREE] = "SwapFree:",
};

#define KEYS ((int)(sizeof keys / sizeof keys[0]))

static int memory_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct pm_procfile *f = malloc(sizeof *f);

	(void)sink;
	if (!f)
		return pm_source_unavailable(why, "/proc/meminfo");
	if (pm_procfile_open(f, target->root, "proc/meminfo") < 0) {
		int saved = errno;

		free(f);
		errno = saved;
		return pm_source_unavailable(why, "/proc/meminfo");
	}
	*state = f;
	return 0;
}

/* Put minuend - subtrahend, or the reason why one of them is unknown. */
static void put_difference(struct pm_sink *sink, int series, int minuend, int subtrahend)
{
	const struct pm_series *a = &sink->series[minuend], *b = &sink->series[subtrahend];

	if (!a->known)
		pm_sink_unknown(sink, series, a->reason);
	else if (!b->known)
		pm_sink_unknown(sink, series, b->reason);
	else
		pm_sink_value(sink, series, a->value - b->value);
}

static void memory_sample(void *state, struct pm_sink *sink)
{
	const char *text;
	ssize_t n = pm_procfile_read(state, &text);

	if (n < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	for (int i = 0; i < KEYS; i++) {
		int64_t kb;

		if (pm_procfile_key(text, (size_t)n, keys[i], "kB", &kb) < 0)
			pm_sink_unknown(sink, i, pm_reason_errno(errno));
		else if (kb > INT64_MAX / 1024)
			pm_sink_unknown(sink, i, PM_REASON_parse);
		else
			pm_sink_value(sink, i, kb * 1024);
	}
	put_difference(sink, USED, TOTAL, AVAILABLE);
	put_difference(sink, SWAP_USED, SWAP_TOTAL, SWAP_FREE);
}

static void memory_close(void *state)
{
	pm_procfile_close(state);
	free(state);
}

const struct pm_source pm_source_memory = {
	.name = "memory",
	.help = "the node's memory and swap",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = memory_open,
	.sample = memory_sample,
	.close = memory_close,
};
