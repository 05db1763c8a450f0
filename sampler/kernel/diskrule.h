/*
 * Which block devices are disks of their own, so that traffic through several layers counts once.
 */
#ifndef PM_SAMPLER_KERNEL_DISKRULE_H
#define PM_SAMPLER_KERNEL_DISKRULE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a device with a name of n bytes is a partition of the disk, by the kernel's rule for
 * names: sda1 of sda, nvme0n1p1 of nvme0n1.
 */
bool pm_diskrule_part(const char *name, size_t n, const char *disk);

/*
 * Whether the traffic of a whole device counts. Not counted are memory (ram, zram), files (loop),
 * floppies and optical disks, devices made of other devices (dm, md, bcache, ZFS volumes, drbd, any
 * with entries in /sys/block/NAME/slaves), and paths that the kernel hides behind another device.
 */
bool pm_diskrule_counts(const char *root, const char *name);

#endif
