/* Rows of papiex, before records are made of them: columns by name, then values. Programs only. */
#ifndef PM_PAPIEX_ROW_H
#define PM_PAPIEX_ROW_H

#include "common/err.h"
#include "common/record.h"
#include "submit/bounds.h"
#include "submit/odd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most threads that a process is believed to have. */
#define PM_PAPIEX_THREADS 4194304

/* Most columns of a row. */
#define PM_PAPIEX_COLUMNS 1024

/* A column: of common/papiex.def, or a counter. */
struct pm_papiex_column {
	short row;     /* of the table; -1 for a counter */
	short counter; /* number of the counter; -1 for none */
};

struct pm_papiex_counter {
	char *name; /* as an item of a list; owned */
	int64_t value, total;
	bool known, total_known;
	bool odd; /* unknown because the recorded value is not a count */
	bool total_odd;
};

/* Room for texts; owned. */
struct pm_papiex_text {
	char *p;
	size_t cap;
};

/* The columns of the rows that come; begins all zero but for bounds. */
struct pm_papiex_columns {
	struct pm_papiex_column column[PM_PAPIEX_COLUMNS];
	size_t columns;
	uint64_t times; /* that columns were named */
	uint64_t hash;  /* of their names, in order */
	struct pm_papiex_counter *counter;
	size_t counters;
	size_t pid_at;      /* column that tells where a process begins */
	size_t hostname_at; /* SIZE_MAX: there is none */
	bool has_tid;       /* threads have ids */
	struct pm_bounds bounds;
	/* Told of values that cannot be and are unknown; NULL: nobody. Returns 0 or -1 with e
	 * filled. */
	int (*odd)(void *ctx, const char *column, enum pm_odd_why why, struct pm_err *e);
	void *ctx;
	struct pm_papiex_text texts; /* of the row, escaped */
};

/* What a row says, before anything is done with it; its counters are with the columns. */
struct pm_papiex_values {
	struct pm_record r;
	struct pm_str path, program, hostname; /* raw */
	bool signal;
};

void pm_papiex_row_free(struct pm_papiex_columns *x); /* may be called again */

/* As pm_papiex_columns (papiex.h). */
int pm_papiex_row_columns(struct pm_papiex_columns *x, const struct pm_str *name, size_t n,
			  const char **why, struct pm_err *e);

/*
 * Read a row of as many values as there are columns; an empty one is unknown. `b` gets its texts,
 * with room for the counters behind them. Returns 0; 1 with *why and *column, rejected; -1 with e
 * filled.
 */
int pm_papiex_row_read(struct pm_papiex_columns *x, const struct pm_str *value,
		       struct pm_papiex_values *row, struct pm_buf *b, const char **why,
		       const char **column, struct pm_err *e);

/* Let `b` have room for texts of `n` bytes, whatever they hold, and for the counters; what was in
 * `text` is lost. Returns 0 or -1 with e filled. */
int pm_papiex_row_room(const struct pm_papiex_columns *x, struct pm_papiex_text *text, size_t n,
		       struct pm_buf *b, struct pm_err *e);

#endif
