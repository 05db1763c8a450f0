/*
 * Counters by perf_event_open(2). Events that follow each other in an array of counters share a
 * group if the kernel takes them together. The program may close or reuse our descriptors: they are
 * checked before each read and close.
 */
#ifndef PM_LIBPERFMON_COUNT_PERFEVENT_H
#define PM_LIBPERFMON_COUNT_PERFEVENT_H

#include "common/safe/events.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/count/counter.h"

#include <stdbool.h>

/* There is no group that an event can join. */
#define PM_PERFEVENT_ALONE UINT32_MAX

/*
 * Open the event of counter c[i] for the calling thread, in the group of c[leader] where there is
 * one and the kernel takes it, else as a leader itself. Returns the leader for the next event.
 */
uint32_t pm_perfevent_open(struct pm_counter *c, uint32_t i, uint32_t leader,
			   const struct pm_event *e, const struct pm_descriptors *room);

/* Note why a counter is not opened, as an error number. */
void pm_perfevent_refuse(struct pm_counter *c, int error);

/* Whether the descriptor is still the event that was opened. For a counter of any thread. */
bool pm_perfevent_is_open(const struct pm_counter *c);

/* The descriptor, < 0 for none. For a counter of any thread. */
int pm_perfevent_number(const struct pm_counter *c);

/*
 * Read the group that c[first] leads into the sums of its members, which are among c[first] to
 * c[count - 1] and have bits in `direct`. If c[first] is no leader, nothing is done; if it could
 * not be opened, its reason is set.
 */
void pm_perfevent_read(struct pm_counter *c, uint32_t first, uint32_t count, uint32_t direct);

/* Close the descriptor of a counter if it is still ours; `read`: the counter was read just before,
 * if that was possible. */
void pm_perfevent_close(struct pm_counter *c, bool read);

#endif
