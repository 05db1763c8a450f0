/*
 * Counters by perf_event_open(2). Events that follow each other in an array of counters share a
 * group where the kernel takes them together. Descriptors are the program's: before each read and
 * close it is made sure that they are still ours.
 */
#ifndef PM_PERFEVENT_H
#define PM_PERFEVENT_H

#include "common/events.h"
#include "libperfmon/counter.h"
#include "libperfmon/descriptors.h"

#include <stdbool.h>

/* No event that others can join. */
#define PM_PERFEVENT_ALONE UINT32_MAX

/*
 * Open the event of counter c[i] for the calling thread, in the group of c[leader] where there is
 * one and the kernel takes it, else as a leader itself. Returns the leader for the next event.
 */
uint32_t pm_perfevent_open(struct pm_counter *c, uint32_t i, uint32_t leader,
			   const struct pm_event *e, const struct pm_descriptors *room);

/* Of a counter that is not opened: why, as an error number. */
void pm_perfevent_refuse(struct pm_counter *c, int error);

/* Whether the descriptor is still the event that was opened. Of any thread's. */
bool pm_perfevent_is_open(const struct pm_counter *c);

/* The descriptor, < 0 for none. Of any thread's. */
int pm_perfevent_number(const struct pm_counter *c);

/*
 * Read the group that c[first] leads into the sums of its members: counters of c[first] to
 * c[count - 1] that `direct` has bits of. Where c[first] is no leader, nothing is done; where it
 * could not be opened, its reason is set.
 */
void pm_perfevent_read(struct pm_counter *c, uint32_t first, uint32_t count, uint32_t direct);

/* Close what is open and ours; `read` says that it was read just before, if it could be. */
void pm_perfevent_close(struct pm_counter *c, bool read);

#endif
