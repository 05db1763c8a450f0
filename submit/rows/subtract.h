/* Subtract what is not an image's own: earlier use of its process, and the collector's cost. */
#ifndef PM_SUBMIT_ROWS_SUBTRACT_H
#define PM_SUBMIT_ROWS_SUBTRACT_H

#include "common/safe/record.h"

#include <stdbool.h>

/* Subtract `off` from a value, but not below 0; unknown stays unknown. */
void pm_subtract(struct pm_record *r, enum pm_column c, int64_t off);

/*
 * Subtract what the process had used before this image: the values of the previous image's end
 * record, else of this image's own start record. `previous` is the end record of the previous
 * image, empty if there is none; from a first image nothing is subtracted.
 */
void pm_subtract_before(struct pm_record *r, enum pm_column c, bool first,
			const struct pm_record *previous, const struct pm_record *start);

/* Subtract what the collector itself caused, according to the record. */
void pm_subtract_own(struct pm_record *r);

#endif
