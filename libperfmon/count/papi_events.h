/* The events that PAPI reads: their names in PAPI, and properties of their components. */
#ifndef PM_LIBPERFMON_COUNT_PAPI_EVENTS_H
#define PM_LIBPERFMON_COUNT_PAPI_EVENTS_H

#include "common/safe/events.h"
#include "libperfmon/count/papi_library.h"

#include <stdbool.h>

struct pm_papi_event {
	uint8_t scope;    /* enum pm_event_scope */
	uint8_t type;     /* enum pm_papi_type */
	bool plain;       /* reading its component is system calls alone */
	uint16_t kept_ms; /* time for which its component repeats its last reading, or its start */
	uint32_t set;     /* index of the first event of its component, which has their set */
	int code;
	const char *reason; /* why it cannot be counted at all */
	char component[64];
	char name[PM_EVENT_PAPI_MAX + 1];
};

/* One entry per event of the list given to pm_papi_events_take(); entries of events that PAPI does
 * not read have scope PM_EVENT_PERF. A zeroed struct has no events. */
struct pm_papi_events {
	uint32_t count;
	struct pm_papi_event one[PM_EVENTS_MAX];
};

/* Take the events of a list that are PAPI's. */
void pm_papi_events_take(struct pm_papi_events *l, const struct pm_event *list, uint32_t count);

/* Whether any event is of a component. */
bool pm_papi_events_need(const struct pm_papi_events *l, const char *component);

/* Whether an event counts for the process or the node, not for each thread. */
bool pm_papi_events_is_shared(const struct pm_papi_event *e);

/* Ask the library for the codes of the events. */
void pm_papi_events_find(struct pm_papi_events *l, const struct pm_papi_library *call);

/* Convert PAPI's 64 bits to an integer. Returns the reason why that is impossible, or NULL. */
const char *pm_papi_events_convert(const struct pm_papi_event *e, long long from, int64_t *to);

#endif
