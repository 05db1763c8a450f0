/*
 * The counters of a record, and those that are derived from them: a preset of several native events
 * is made of these by the formula that the job's metadata gives. Programs only.
 */
#ifndef PM_COUNTERS_ROWS_H
#define PM_COUNTERS_ROWS_H

#include "common/tsv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most terms of a formula, and the longest formula in bytes. */
#define PM_DERIVED_TERMS   16
#define PM_DERIVED_FORMULA 1024

/* An event that no record holds. Texts are owned; names are escaped as items of a list. */
struct pm_derived {
	char *name;
	char *formula; /* over terms N0, N1, ...; NULL where it was not counted at all */
	char *reason;  /* why it was not; NULL with a formula */
	char *term[PM_DERIVED_TERMS];
	size_t terms;
};

/* A row of the table counter, but for its key. */
struct pm_counter {
	struct pm_str name;
	bool known;
	int64_t value;
	double ratio;         /* NaN: counted all the time */
	struct pm_str reason; /* empty: none */
	const char *scope;    /* "node": counted for everything on the node; "rate": of a formula
			       * that divides; NULL: adds up over processes */
};

/* Parse an item of the column counters; its texts point into the item. Returns 0, or -1 where it is
 * none. */
int pm_counter_parse(struct pm_counter *c, struct pm_str item);

/*
 * Make an event of those in the column counters. Returns 1, or 0 where the list has nothing of it:
 * it was not asked for there. It is unknown where a term is, with the reason of that, and with
 * "missing" where the list has some terms and not all, "range" where the value is none that could
 * be counted. Its ratio is the least of its terms'. Texts point into d and the list.
 */
int pm_counter_derive(struct pm_counter *c, const struct pm_derived *d, struct pm_str list);

/* Free the texts of n of them, and the array. */
void pm_derived_free(struct pm_derived *d, size_t n);

#endif
