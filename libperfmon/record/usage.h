/*
 * Counters that the kernel keeps for every thread anyway (pm_event_how in common/safe/events.h):
 * the value when a thread began is subtracted from the value as it ends. Nothing is opened, so the
 * program can neither close nor forbid these counters.
 */
#ifndef PM_LIBPERFMON_RECORD_USAGE_H
#define PM_LIBPERFMON_RECORD_USAGE_H

#include "common/safe/events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The count so far of the thread `tid` of this process, 0 for the caller. The calling thread's
 * takes a system call; another thread's may take a file of /proc, if `files` allows it. Returns the
 * count, or -1 if unknown, as for a thread that is gone.
 */
int64_t pm_usage_now(enum pm_event_how how, int tid, bool files);

#endif
