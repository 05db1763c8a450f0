/* Source "netfs": size and use of network file systems. Slow: a server may not answer. */
#include "config.h"

#include "sampler/sources/io/filesystem.h"

static int netfs_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		      struct pm_unavailable *why)
{
	(void)sink;
	return pm_filesystem_open(state, target, why, PM_MOUNTS_NETWORK);
}

const struct pm_source pm_source_netfs = {
	.name = "netfs",
	.help = "space in network file systems",
	.metrics = pm_filesystem_metrics,
	.metrics_count = PM_FILESYSTEM_METRICS,
	.period_us = 60000000,
	.budget_ppm = 1000,
	.open = netfs_open,
	.sample = pm_filesystem_sample,
	.close = pm_filesystem_close,
};
