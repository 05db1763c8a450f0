/* What the driver amdgpu tells in its binary file gpu_metrics, of formats 1.0 to 1.8. */
#ifndef PM_SAMPLER_DEVICES_GPU_AMDMETRICS_H
#define PM_SAMPLER_DEVICES_GPU_AMDMETRICS_H

#include <stddef.h>
#include <stdint.h>

/* 2^32 units of 2^-16 J. */
#define PM_AMDMETRICS_WRAP_UJ UINT64_C(65536000000)

/*
 * Find the energy since the driver was loaded, uJ, in the n bytes of gpu_metrics. It is counted in
 * units of 2^-16 J: in 32 bits in format 1.0 and by the firmware of some GPUs, where it wraps at
 * PM_AMDMETRICS_WRAP_UJ, else in 64.
 * Returns 0, or -1 with errno set: ENODATA where the format has none (of an APU), where all bits
 * are set, which stands for that, and for 0, as the second die of an MI250X has it; EBADMSG where
 * the text is not as the format says.
 */
int pm_amdmetrics_energy(const char *text, size_t n, int64_t *uj);

#endif
