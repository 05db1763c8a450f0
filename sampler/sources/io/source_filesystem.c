/* Source "filesystem": size and use of the node's own file systems. */
#include "config.h"

#include "sampler/sources/io/filesystem.h"

static int filesystem_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			   struct pm_unavailable *why)
{
	(void)sink;
	return pm_filesystem_open(state, target, why, PM_MOUNTS_LOCAL);
}

const struct pm_source pm_source_filesystem = {
	.name = "filesystem",
	.help = "space in the node's local file systems",
	.metrics = pm_filesystem_metrics,
	.metrics_count = PM_FILESYSTEM_METRICS,
	.open = filesystem_open,
	.sample = pm_filesystem_sample,
	.close = pm_filesystem_close,
};
