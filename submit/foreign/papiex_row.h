/* Parse papiex's rows, before conversion to records: columns by name, then values. */
#ifndef PM_SUBMIT_FOREIGN_PAPIEX_ROW_H
#define PM_SUBMIT_FOREIGN_PAPIEX_ROW_H

#include "common/err.h"
#include "common/safe/record.h"
#include "submit/input/bounds.h"
#include "submit/input/oddvalue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum plausible number of threads of a process. */
#define PM_PAPIEX_THREADS 4194304

/* Maximum number of columns of a row. */
#define PM_PAPIEX_COLUMNS 1024

/* A column: one of common/record/papiex.def, or a counter. */
struct pm_papiex_column {
	short row;     /* row of the table; -1: a counter */
	short counter; /* index of the counter; -1: none */
};

struct pm_papiex_counter {
	char *name; /* escaped as an item of a list; owned */
	int64_t value, total;
	bool known, total_known;
	bool odd; /* unknown because the recorded value is not a count */
	bool total_odd;
};

/* Buffer for texts; owned. */
struct pm_papiex_text {
	char *p;
	size_t cap;
};

/* Columns of the current rows; initially all zero except bounds. */
struct pm_papiex_columns {
	struct pm_papiex_column column[PM_PAPIEX_COLUMNS];
	size_t columns;
	uint64_t times; /* how many times columns were named */
	uint64_t hash;  /* hash of their names, in order */
	struct pm_papiex_counter *counter;
	size_t counters;
	size_t pid_at;      /* column of the pid, set only in a process's first row */
	size_t hostname_at; /* SIZE_MAX: none */
	bool has_tid;       /* threads have ids */
	struct pm_bounds bounds;
	/* Called for implausible values, which become unknown; may be NULL. Returns 0 or -1 with e
	 * filled. */
	int (*odd)(void *ctx, const char *column, enum pm_oddvalue_why why, struct pm_err *e);
	void *ctx;
	struct pm_papiex_text texts; /* escaped texts of the row */
};

/* Parsed values of a row; its counters are in pm_papiex_columns.counter. */
struct pm_papiex_values {
	struct pm_record r;
	struct pm_str path, program, hostname; /* raw */
	bool signal;
};

void pm_papiex_row_free(struct pm_papiex_columns *x); /* may be called again */

/* Set the columns; returns as pm_papiex_columns (papiex.h). */
int pm_papiex_row_columns(struct pm_papiex_columns *x, const struct pm_str *name, size_t n,
			  const char **why, struct pm_err *e);

/*
 * Parse a row with one value per column; an empty value is unknown. `b` gets its texts and has room
 * left for the counters. Returns 0; 1 with *why and *column, rejected; -1 with e filled.
 */
int pm_papiex_row_read(struct pm_papiex_columns *x, const struct pm_str *value,
		       struct pm_papiex_values *row, struct pm_buf *b, const char **why,
		       const char **column, struct pm_err *e);

/* Initialize `b` with room for texts of `n` bytes, once escaped, and for the counters; the previous
 * content of `text` is lost. Returns 0 or -1 with e filled. */
int pm_papiex_row_room(const struct pm_papiex_columns *x, struct pm_papiex_text *text, size_t n,
		       struct pm_buf *b, struct pm_err *e);

#endif
