/* Taking off what is not an image's own: what its process had used before, and what the collector
 * caused. Programs only. */
#ifndef PM_TAKEOFF_H
#define PM_TAKEOFF_H

#include "common/record.h"

#include <stdbool.h>

/* A value less `off`, never below 0; unknown stays unknown. */
void pm_takeoff(struct pm_record *r, enum pm_column c, int64_t off);

/*
 * Take off what the process had used before this image: what its previous image's end says, else
 * what this image's own start says. `previous` is the end record of the image before, empty where
 * it has none; a first image has nothing to take off.
 */
void pm_takeoff_before(struct pm_record *r, enum pm_column c, bool first,
		       const struct pm_record *previous, const struct pm_record *start);

/* Take off what the collector itself caused, as the record says it. */
void pm_takeoff_own(struct pm_record *r);

#endif
