/*
 * What one thread, or the image, counts through PAPI: a set of events for each component. To be
 * called under pm_papi_guard.
 */
#ifndef PM_PAPI_SETS_H
#define PM_PAPI_SETS_H

#include "libperfmon/papi_descriptors.h"
#include "libperfmon/papi_events.h"
#include "libperfmon/papi_library.h"

#include <stdbool.h>

/* The place of what counts for the whole image. */
#define PM_PAPI_SHARED UINT32_MAX

/* The sets of a place: 0 for the main thread, else the number of a slot, or PM_PAPI_SHARED. */
struct pm_papi_sets {
	uint32_t place;
	bool open;
	struct pm_papi_descriptors descriptors;
	struct {
		int set;            /* of the first event of a set: PAPI's number */
		int64_t read_ns;    /* and when it was started or read last */
		int position;       /* in its set, -1: not in it */
		const char *reason; /* why the value is not known */
		int64_t value;
	} event[PM_EVENTS_MAX];
};

/* Open the sets and start them. What cannot be counted has its reason. */
void pm_papi_sets_open(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call);

/* Read what can be read now. `orderly` is the thread that is in no signal handler, or -1. */
void pm_papi_sets_read(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call, int orderly);

/* Stop and end them, if their descriptors are still what was opened: PAPI would close the numbers,
 * and what they are now. */
void pm_papi_sets_close(struct pm_papi_sets *p, const struct pm_papi_events *l,
			const struct pm_papi_library *call);

#endif
