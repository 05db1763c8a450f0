/* How full file systems are: what sources "filesystem" and "netfs" share. Programs only. */
#ifndef PM_FILESYSTEM_H
#define PM_FILESYSTEM_H

#include "sampler/mounts.h"
#include "sampler/source.h"

#define PM_FILESYSTEM_METRICS 5

extern const struct pm_metric pm_filesystem_metrics[PM_FILESYSTEM_METRICS];

/* As a source's open, for mounts of a kind. */
int pm_filesystem_open(void **state, const struct pm_target *target, struct pm_unavailable *why,
		       enum pm_mounts_kind kind);

/* A source's sample and close. */
void pm_filesystem_sample(void *state, struct pm_sink *sink);
void pm_filesystem_close(void *state);

#endif
