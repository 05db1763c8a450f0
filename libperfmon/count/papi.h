/*
 * Events that PAPI reads: events of components that know more than the kernel's counters, and
 * events that the user wants read that way. Nothing here runs unless such an event is asked for.
 *
 * Life cycle: the constructor opens the library that perfmon names. A PAPI that is loaded already
 * is the program's own, and then the collector reads no such events. Otherwise it opens a copy of
 * the library, since the program may open PAPI later. Each thread opens and closes one set of
 * events per component. The sets of components that count for the process or the node belong to the
 * image; the constructor opens them. A fork child has PAPI's state and not its counters: it reads
 * nothing and calls nothing.
 *
 * PAPI allocates, takes locks, and opens files. It is called with all signals blocked, one thread
 * at a time, on a stack of the collector's, with errno and the thread's cancellation kept; never
 * while a signal handler of the program may have interrupted malloc, unless the component is known
 * to make system calls alone. PAPI's descriptors lie where the collector's own lie.
 */
#ifndef PM_LIBPERFMON_COUNT_PAPI_H
#define PM_LIBPERFMON_COUNT_PAPI_H

#include "common/safe/events.h"
#include "libperfmon/count/papi_sets.h"

#include <stdbool.h>

/*
 * Open the library and the events of the image, from a list with at least one event of PAPI's. The
 * list is not kept. `library` is the entry that names the library, without a name if there is none.
 * Returns 0, or -1 if out of memory. Any other failure becomes the reason of the events.
 */
int pm_papi_begin(const struct pm_event *list, uint32_t count, const struct pm_event *library);

/* Open the calling thread's events, in its place. */
void pm_papi_open(uint32_t place);

/* Read the events of a place: the caller's, a living thread's, or the image's. */
void pm_papi_read(uint32_t place);

/* The count of event i of the list when its place was read last. Returns the reason why the count
 * is unknown, or NULL with *value set. */
const char *pm_papi_value(uint32_t place, uint32_t i, int64_t *value);

/* Close the calling thread's events. */
void pm_papi_close(uint32_t place);

/* Note that the calling thread is in no signal handler: it ends by exit or by itself. */
void pm_papi_orderly(void);

/* In a fork child: close the parent's descriptors, and never call PAPI again. */
void pm_papi_fork_child(void);

/* Lowest descriptor that PAPI opened; INT_MAX while there is none. */
int pm_papi_lowest(void);

/* Whether PAPI opened a descriptor, in any thread. */
bool pm_papi_hold(int fd);

/*
 * After a perf_event_open(2) that came through syscall(2) of libc: move a descriptor of PAPI's to
 * where the collector's lie, close-on-exec. Returns the descriptor for the caller.
 */
long pm_papi_opened(long fd, const void *attr);

#endif
