/*
 * Counters of a record, and events derived from them: a preset of several native events is computed
 * from their counts by the formula in the job's metadata.
 */
#ifndef PM_SUBMIT_JOB_COUNTERS_H
#define PM_SUBMIT_JOB_COUNTERS_H

#include "common/safe/tsv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of terms of a formula, and the longest formula in bytes. */
#define PM_DERIVED_TERMS   16
#define PM_DERIVED_FORMULA 1024

/* An event that no record holds. Texts are owned; names are escaped as items of a list. */
struct pm_derived {
	char *name;
	char *formula; /* over terms N0, N1, ...; NULL if the event was not counted at all */
	char *reason;  /* why the event was not counted; NULL with a formula */
	char *term[PM_DERIVED_TERMS];
	size_t terms;
};

/* A row of table counter, without its key. */
struct pm_counter {
	struct pm_str name;
	bool known;
	int64_t value;
	double ratio;         /* NaN: counted all the time */
	struct pm_str reason; /* empty: none */
	const char *scope; /* "node": counts everything on the node; "rate": computed by a formula
			    * that divides; NULL: adds up over processes */
};

/* Parse an item of column counters; c's texts point into the item. Returns 0, or -1 if the item is
 * malformed. */
int pm_counter_parse(struct pm_counter *c, struct pm_str item);

/*
 * Compute a derived event from the list in column counters. Returns 1, or 0 if the list has none of
 * the terms: the event was not requested there. The value is unknown if a term's is, with that
 * term's reason; with "missing" if the list lacks some of the terms; with "range" if the result is
 * not a possible count. The ratio is the smallest of the terms'. Texts point into d and the list.
 */
int pm_counter_derive(struct pm_counter *c, const struct pm_derived *d, struct pm_str list);

/* Free an array of n derived events and their texts. */
void pm_derived_free(struct pm_derived *d, size_t n);

#endif
