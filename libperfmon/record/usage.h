/*
 * Counters that the kernel keeps for every thread anyway (pm_event_how in common/events.h): what a
 * thread had of them when it began is subtracted from what it has as it ends. Nothing is opened,
 * and nobody can take them away or forbid them.
 */
#ifndef PM_USAGE_H
#define PM_USAGE_H

#include "common/events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What the thread `tid` of this process, 0 for the caller, has counted so far in its life. Of the
 * calling thread that takes a system call; of another one, where `files` allows it, a file of
 * /proc. Returns the count, or -1 where it is not known, as of a thread that is gone.
 */
int64_t pm_usage_now(enum pm_event_how how, int tid, bool files);

#endif
