/* Devices that the kernel has suspended: to read them would wake them. */
#ifndef PM_SAMPLER_DEVICES_GPU_SUSPENDED_H
#define PM_SAMPLER_DEVICES_GPU_SUSPENDED_H

#include "sampler/kernel/procfile.h"

/* Whether a device is suspended now. device: its folder below root, in /sys. */
bool pm_suspended_now(const char *root, const char *device);

/*
 * Open the status of a device that the kernel may suspend, by its power/control: servers have "on",
 * and it never does. The status of another device is zeroed, and holds nothing.
 */
void pm_suspended_open(struct pm_procfile *status, const char *root, const char *device);

/* Whether the device is suspended, by one read of its status; none where that holds nothing. */
bool pm_suspended_read(struct pm_procfile *status);

#endif
