/*
 * Rows of a result, parked while its connection runs another command: the first ones in memory, the
 * rest in an unnamed file.
 */
#ifndef PM_DB_POSTGRES_ROWSPILL_H
#define PM_DB_POSTGRES_ROWSPILL_H

#include "common/err.h"

#include <stddef.h>
#include <stdio.h>

/* One value: a text with a NUL at its end, or NULL. */
struct pm_rowspill_cell {
	const char *p;
	size_t n;
};

/* All zero is an empty spill. */
struct pm_rowspill {
	char *text; /* the first rows */
	size_t len, cap, at;
	FILE *rest;
	long added, taken; /* rows */
	char *row;         /* the current row, if read from the file */
	size_t row_cap;
};

/* Add a row. Returns 0 or -1 with e filled. */
int pm_rowspill_add(struct pm_rowspill *k, const struct pm_rowspill_cell *cell, int cells,
		    struct pm_err *e);

/* Take the next row; its values stay valid until the next call. Returns 1, 0 at the end, or -1 with
 * e filled. No row may be added after the first was taken. */
int pm_rowspill_next(struct pm_rowspill *k, struct pm_rowspill_cell *cell, int cells,
		     struct pm_err *e);

/* Drop all rows, and free their memory and file. */
void pm_rowspill_free(struct pm_rowspill *k);

#endif
