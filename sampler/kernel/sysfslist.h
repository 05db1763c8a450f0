/* Numbered entries of /sys. */
#ifndef PM_SAMPLER_KERNEL_SYSFSLIST_H
#define PM_SAMPLER_KERNEL_SYSFSLIST_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The numbers N of the entries prefixN of the directory root/relative, in rising order. The caller
 * frees *numbers. Returns how many there are, or -1 with errno set.
 */
ssize_t pm_sysfslist_directory(const char *root, const char *relative, const char *prefix,
			       int64_t **numbers);

#endif
