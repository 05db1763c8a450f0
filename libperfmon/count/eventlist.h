/* The events that an image counts. */
#ifndef PM_EVENTLIST_H
#define PM_EVENTLIST_H

#include "common/events.h"
#include "libperfmon/settings.h"

/* Whether an image asks for any: without a look at what they are. */
bool pm_eventlist_is_any(const struct pm_settings *s);

/* Bytes that the names and reasons of all that is asked for do not exceed. */
size_t pm_eventlist_bytes(const struct pm_settings *s);

/*
 * List what PERFMON_EVENTS or else PERFMON_OPTIONS asks for, at most PM_EVENTS_MAX. Names and
 * reasons point into the environment; *escaped says whether they are escaped already. *library is
 * the entry that names PAPI's library, without a name where there is none. Returns how many.
 */
uint32_t pm_eventlist_read(const struct pm_settings *s, struct pm_event list[PM_EVENTS_MAX],
			   struct pm_event *library, bool *escaped);

#endif
