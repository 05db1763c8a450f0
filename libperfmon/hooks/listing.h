/*
 * Hide the descriptors of our counters from directories in which a program lists its descriptors:
 * /proc/self/fd and its like.
 */
#ifndef PM_LIBPERFMON_HOOKS_LISTING_H
#define PM_LIBPERFMON_HOOKS_LISTING_H

#include <stdbool.h>

/* Whether a system call lists a directory, in a process that has descriptors to hide. */
bool pm_listing_watches(long nr);

/* Make a call that pm_listing_watches() selects, `nr` with its arguments, through libc's
 * syscall(2). Returns the same as syscall(2). */
long pm_listing_raw(long (*real)(long, long, long, long, long, long, long), long nr, long fd,
		    long entries, long size);

#endif
