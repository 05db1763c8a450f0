/* What the driver amdgpu tells in its binary file gpu_metrics, of formats 1.0 to 1.8. */
#ifndef PM_SAMPLER_DEVICES_GPU_AMDMETRICS_H
#define PM_SAMPLER_DEVICES_GPU_AMDMETRICS_H

#include "sampler/kernel/reason.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Find the energy since the driver was loaded, in units of 2^-16 J, in the n bytes of gpu_metrics.
 * Returns 0, or -1 with *reason set: unsupported where the format has none (of an APU), where all
 * bits are set, which stands for that, and for 0, as the second die of an MI250X has it; parse
 * where the text is not as the format says. Format 1.0 has 32 bits, and so have counts of those
 * GPUs whose firmware counts in 32 bits; the others have 64.
 */
int pm_amdmetrics_energy(const char *text, size_t n, int64_t *count, enum pm_reason *reason);

#endif
