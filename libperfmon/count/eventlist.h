/* The events that an image counts. */
#ifndef PM_LIBPERFMON_COUNT_EVENTLIST_H
#define PM_LIBPERFMON_COUNT_EVENTLIST_H

#include "common/safe/events.h"
#include "libperfmon/base/settings.h"

/* Whether an image asks for any events, known or not. */
bool pm_eventlist_is_any(const struct pm_settings *s);

/* Most bytes of the names and reasons of all requested events. */
size_t pm_eventlist_bytes(const struct pm_settings *s);

/*
 * List the events that PERFMON_EVENTS or else PERFMON_OPTIONS asks for, at most PM_EVENTS_MAX.
 * Names and reasons point into the environment; *escaped says whether they are escaped already.
 * *library is the entry that names PAPI's library, without a name if there is none. Returns their
 * number.
 */
uint32_t pm_eventlist_read(const struct pm_settings *s, struct pm_event list[PM_EVENTS_MAX],
			   struct pm_event *library, bool *escaped);

#endif
