/* Size and use of file systems: shared by the sources "filesystem" and "netfs". */
#ifndef PM_SAMPLER_SOURCES_IO_FILESYSTEM_H
#define PM_SAMPLER_SOURCES_IO_FILESYSTEM_H

#include "sampler/kernel/mounts.h"
#include "sampler/source.h"

#define PM_FILESYSTEM_METRICS 5

extern const struct pm_metric pm_filesystem_metrics[PM_FILESYSTEM_METRICS];

/* A source's open, for mounts of a kind. */
int pm_filesystem_open(void **state, const struct pm_target *target, struct pm_unavailable *why,
		       enum pm_mounts_kind kind);

/* A source's sample and close. */
void pm_filesystem_sample(void *state, struct pm_sink *sink);
void pm_filesystem_close(void *state);

#endif
