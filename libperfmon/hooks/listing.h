/*
 * Directories in which a program lists its own descriptors, /proc/self/fd and its like: without
 * those of our counters.
 */
#ifndef PM_LISTING_H
#define PM_LISTING_H

#include <stdbool.h>

/* Whether a system call lists a directory, in a process that has something to leave out. */
bool pm_listing_watches(long nr);

/* Make such a call, `nr` with its arguments, through libc's syscall(2). Returns as that does. */
long pm_listing_raw(long (*real)(long, long, long, long, long, long, long), long nr, long fd,
		    long entries, long size);

#endif
