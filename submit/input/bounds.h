/* Plausible values of each column. */
#ifndef PM_SUBMIT_INPUT_BOUNDS_H
#define PM_SUBMIT_INPUT_BOUNDS_H

#include "common/safe/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Latest plausible time, microseconds since 1970: the beginning of the year 2100. */
#define PM_BOUNDS_TIME 4102444800000000

/* Largest plausible number in metadata and tallies; in microseconds 127 years. */
#define PM_BOUNDS_NUMBER 4000000000000000

/* Largest plausible count of an event. */
#define PM_BOUNDS_EVENT 4000000000000000000

/* Words of a set of columns, as in struct pm_record. */
#define PM_BOUNDS_WORDS ((PM_COLUMNS + 63) / 64)

struct pm_bounds {
	int64_t low[PM_COLUMNS];
	uint64_t span[PM_COLUMNS];         /* the highest value less the lowest one */
	uint64_t checked[PM_BOUNDS_WORDS]; /* columns to check: all numbers except keys, without
					    * which a line is rejected */
};

/* Derive the bounds from the kind and unit of each column. */
void pm_bounds_init(struct pm_bounds *b);

/* Whether a value is plausible for a column. */
bool pm_bounds_have(const struct pm_bounds *b, enum pm_column c, int64_t v);

/* Find the implausible values of a record: `odd` gets the set of their columns. Returns whether
 * there are any. */
bool pm_bounds_odd(const struct pm_bounds *b, const struct pm_record *r,
		   uint64_t odd[PM_BOUNDS_WORDS]);

#endif
