/* The GPUs of this host, by files of their drivers, without waking one. */
#ifndef PM_WRAPPER_NODE_GPUS_H
#define PM_WRAPPER_NODE_GPUS_H

#include "common/job/gpu.h"

#include <stddef.h>

/*
 * Read the GPUs on the PCI bus from the /proc and /sys below root; "": this machine's. Partitions
 * of a GPU are none. Of one that the kernel has suspended only what does not wake it is known, and
 * of NVIDIA's neither memory nor power limit. Returns how many there are, in the order of their
 * addresses, at most PM_GPU_MAX.
 */
size_t pm_gpus_read(const char *root, struct pm_gpu gpu[PM_GPU_MAX]);

#endif
