/*
 * Events that PAPI reads: those of components that know more than the kernel's counters, and what
 * the user wants read that way. Only where such an event is asked for is anything here done.
 *
 * Life cycle: the constructor opens the library that perfmon names, beside nothing of the
 * program's: where PAPI is there already it is the program's own, and left alone. What is opened is
 * a copy, for the program may open PAPI later. One set of events per component counts for each
 * thread, opened and closed by it; those of components that count for the process or the node are
 * one set, which the constructor opens, and belong to the image. A fork child has PAPI's state and
 * not its counters: it reads nothing and calls nothing.
 *
 * PAPI allocates, takes locks, and opens files. It is called with all signals blocked, one thread
 * at a time, on a stack of the collector's, with errno and the thread's cancellation kept; never
 * where a signal handler of the program may have interrupted malloc, unless the component is known
 * to make system calls alone. What it opens lies where the collector's own descriptors lie.
 */
#ifndef PM_PAPI_H
#define PM_PAPI_H

#include "common/events.h"
#include "libperfmon/papi_sets.h"

#include <stdbool.h>

/*
 * Open the library and the events of the image, of a list of which at least one has a scope. The
 * list is not kept. `library` is the entry that names it, without a name where there is none.
 * Returns 0, or -1 without memory. What fails else is a reason of the events.
 */
int pm_papi_begin(const struct pm_event *list, uint32_t count, const struct pm_event *library);

/* Open the calling thread's events, in its place. */
void pm_papi_open(uint32_t place);

/* Read the events of a place, the caller's or that of a thread that lives, or the image's. */
void pm_papi_read(uint32_t place);

/* What event i of the list counted when its place was read last. Returns the reason why that is not
 * known, or NULL with *value set. */
const char *pm_papi_value(uint32_t place, uint32_t i, int64_t *value);

/* Close the calling thread's events. */
void pm_papi_close(uint32_t place);

/* From here on the calling thread is in no signal handler: it ends by exit or by itself. */
void pm_papi_orderly(void);

/* In a fork child: let go of the parent's descriptors, and call PAPI no more. */
void pm_papi_fork_child(void);

/* No descriptor that PAPI opened is lower; INT_MAX while there is none. */
int pm_papi_lowest(void);

/* Whether a descriptor is one that PAPI opened, in any thread. */
bool pm_papi_hold(int fd);

/*
 * Behind a perf_event_open(2) that came through syscall(2) of libc: one of PAPI's is moved where
 * the collector's descriptors lie, close-on-exec. Returns the descriptor for the caller.
 */
long pm_papi_opened(long fd, const void *attr);

#endif
