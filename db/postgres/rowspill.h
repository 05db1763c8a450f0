/*
 * Rows of a result that wait while its connection does something else: in memory as far as they are
 * few, the rest in an unnamed file. Programs only.
 */
#ifndef PM_DB_PARKED_H
#define PM_DB_PARKED_H

#include "common/err.h"

#include <stddef.h>
#include <stdio.h>

/* One value: a text with a NUL behind it, or NULL. */
struct pm_parked_cell {
	const char *p;
	size_t n;
};

/* All zero is an empty one. */
struct pm_parked {
	char *text; /* the first rows */
	size_t len, cap, at;
	FILE *rest;
	long added, taken; /* rows */
	char *row;         /* the current one, where it came from the file */
	size_t row_cap;
};

/* Add a row. Returns 0 or -1 with e filled. */
int pm_parked_add(struct pm_parked *k, const struct pm_parked_cell *cell, int cells,
		  struct pm_err *e);

/* Take the next row; its values stay valid until the next call. Returns 1, 0 at the end, or -1 with
 * e filled. No row may be added after the first was taken. */
int pm_parked_next(struct pm_parked *k, struct pm_parked_cell *cell, int cells, struct pm_err *e);

/* Forget all rows, and free what they took. */
void pm_parked_free(struct pm_parked *k);

#endif
