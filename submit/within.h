/* What has been gathered of the sources of a load, and whether that is within its limits. Programs
 * only. */
#ifndef PM_WITHIN_H
#define PM_WITHIN_H

#include "submit/gather.h"
#include "submit/limits.h"

struct pm_within {
	const struct pm_load_limits *limits; /* NULL: none */
	int64_t until_us; /* of the CPU time of this process; INT64_MAX: no end */
	struct pm_within_use {
		uint64_t hosts, series, rows;
	} use, before; /* in all; of the current job when its piece began */
	unsigned pieces;
	bool over; /* it is not */
};

/* Begin with nothing. */
void pm_within_begin(struct pm_within *w, const struct pm_load_limits *limits);

/* A piece of a job begins to be gathered. */
void pm_within_note(struct pm_within *w, const struct pm_gather *g);

/* It was gathered. Returns 0, or -1 with e filled and w->over set where that is beyond the limits.
 */
int pm_within_check(struct pm_within *w, const struct pm_gather *g, struct pm_err *e);

#endif
