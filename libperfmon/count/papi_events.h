/* The events that are asked of PAPI: what they are called there, what is known of their components.
 */
#ifndef PM_PAPI_EVENTS_H
#define PM_PAPI_EVENTS_H

#include "common/events.h"
#include "libperfmon/papi_library.h"

#include <stdbool.h>

struct pm_papi_event {
	uint8_t scope;    /* enum pm_event_scope */
	uint8_t type;     /* enum pm_papi_type */
	bool plain;       /* reading its component is system calls alone */
	uint16_t kept_ms; /* for so long its component gives the values of its last reading or start
			   */
	uint32_t set;     /* the first event of its component: their set */
	int code;
	const char *reason; /* why nobody can have it */
	char component[64];
	char name[PM_EVENT_PAPI_MAX + 1];
};

/* An event for each of the list, of scope PM_EVENT_PERF where it is not PAPI's. Zero is empty. */
struct pm_papi_events {
	uint32_t count;
	struct pm_papi_event one[PM_EVENTS_MAX];
};

/* Take the events of a list that are PAPI's. */
void pm_papi_events_take(struct pm_papi_events *l, const struct pm_event *list, uint32_t count);

/* Whether any is of a component. */
bool pm_papi_events_need(const struct pm_papi_events *l, const char *component);

/* Whether an event counts for the process or the node, not for each thread. */
bool pm_papi_events_is_shared(const struct pm_papi_event *e);

/* Ask the library for their codes. */
void pm_papi_events_find(struct pm_papi_events *l, const struct pm_papi_library *call);

/* What PAPI's 64 bits are as a whole number. Returns the reason why they are none, or NULL. */
const char *pm_papi_events_convert(const struct pm_papi_event *e, long long from, int64_t *to);

#endif
