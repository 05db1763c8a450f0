/*
 * PAPI's sets of one thread, or of the image: a set of events for each component. To be called
 * under pm_papi_guard.
 */
#ifndef PM_LIBPERFMON_COUNT_PAPI_SETS_H
#define PM_LIBPERFMON_COUNT_PAPI_SETS_H

#include "libperfmon/count/papi_descriptors.h"
#include "libperfmon/count/papi_events.h"
#include "libperfmon/count/papi_library.h"

#include <stdbool.h>

/* The place of events that count for the whole image. */
#define PM_PAPI_SHARED UINT32_MAX

/* The sets of a place: 0 for the main thread, else the number of a slot, or PM_PAPI_SHARED. */
struct pm_papi_sets {
	uint32_t place;
	bool open;
	struct pm_papi_descriptors descriptors;
	struct {
		int set;            /* PAPI's number of the set, at its first event */
		int64_t read_ns;    /* when the set was started or last read, at its first event */
		int position;       /* in its set, -1: not in the set */
		const char *reason; /* why the value is not known */
		int64_t value;
	} event[PM_EVENTS_MAX];
};

/* Open the sets and start them. An event that cannot be counted gets its reason. */
void pm_papi_sets_open(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call);

/* Read each set that can be read; the events of the others get a reason. `orderly` is the id of a
 * thread known not to be in a signal handler, or -1. */
void pm_papi_sets_read(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call, int orderly);

/* Stop and destroy the sets, if their descriptors are still the files that PAPI opened: PAPI would
 * close the numbers, whatever files they are now. */
void pm_papi_sets_close(struct pm_papi_sets *p, const struct pm_papi_events *l,
			const struct pm_papi_library *call);

#endif
