/*
 * Which block devices are disks of their own, so that what goes through several layers counts once.
 * Programs only.
 */
#ifndef PM_DISKRULE_H
#define PM_DISKRULE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a device with a name of n bytes is a part of the disk with the other name, by the
 * kernel's rule: sda1 of sda, nvme0n1p1 of nvme0n1.
 */
bool pm_diskrule_part(const char *name, size_t n, const char *disk);

/*
 * Whether the traffic of a whole device counts: not that of memory (ram, zram), of files (loop), of
 * floppies and optical disks, of what is made of other devices (dm, md, bcache, ZFS volumes, drbd,
 * whatever has entries in /sys/block/NAME/slaves), nor of paths that the kernel hides behind
 * another device.
 */
bool pm_diskrule_counts(const char *root, const char *name);

#endif
