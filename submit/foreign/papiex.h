/*
 * Convert papiex's data of processes and threads to records: columns by name, then a row of values
 * per thread. The callers read the rows from lines of files or from a database.
 */
#ifndef PM_SUBMIT_FOREIGN_PAPIEX_H
#define PM_SUBMIT_FOREIGN_PAPIEX_H

#include "common/err.h"
#include "common/safe/record.h"
#include "submit/foreign/papiex_row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest host name. */
#define PM_PAPIEX_HOST 1024

enum pm_papiex_state {
	PM_PAPIEX_NONE,
	PM_PAPIEX_OPEN,
	PM_PAPIEX_REFUSED,
	PM_PAPIEX_KNOWN, /* another load has the process: its rows are only compared */
};

/* A process with missing threads, which another load may have. */
struct pm_papiex_parked;

struct pm_papiex {
	/* Takes a record whose texts live until it returns. Returns the same as pm_images_add(): 0;
	 * 1 with *why, rejected; -1 with e filled. */
	int (*record)(void *ctx, const struct pm_record *r, const char **why, struct pm_err *e);
	/* When loads are merged: whether another load has the row of this hash; if not, it is noted
	 * for the current load. Returns 1, 0, or -1 with e filled. NULL for a single load. */
	int (*known)(void *ctx, uint64_t hash, struct pm_err *e);
	void *ctx;
	char host[PM_PAPIEX_HOST]; /* escaped: host of rows that name none */

	struct pm_papiex_columns named;
	struct pm_papiex_text tail; /* escaped texts of the end record */

	/* The current process. */
	enum pm_papiex_state state;
	char hostname[PM_PAPIEX_HOST];
	struct pm_record end;  /* its future end record */
	int64_t rows, threads; /* thread rows so far, and in all; 0: unknown */
	int64_t counted; /* number of its threads' rows if the caller has counted them; else 0 */
	bool signal;
	bool again;    /* another load has the row just processed */
	uint64_t hash; /* hash of the process's first row, and of the columns */
	uint64_t seen; /* number of rows after the first, rejected ones included */
	struct pm_papiex_parked *parked;
	size_t parked_count, parked_cap;
	uint64_t missing; /* number of missing thread rows of all processes so far */
};

/* Start; records are passed to `record`. Free the memory. */
void pm_papiex_init(struct pm_papiex *x,
		    int (*record)(void *ctx, const struct pm_record *r, const char **why,
				  struct pm_err *e),
		    void *ctx);
void pm_papiex_free(struct pm_papiex *x);

/* Set the host of rows that name none. */
void pm_papiex_host(struct pm_papiex *x, const char *name, size_t n);

/*
 * Set the columns of the rows that follow. Returns 0; 1 with *why if they are unusable (a column
 * that a process needs is missing, too many columns); -1 with e filled.
 */
int pm_papiex_columns(struct pm_papiex *x, const struct pm_str *name, size_t n, const char **why,
		      struct pm_err *e);

/*
 * Convert a row with one value per column; an empty value is unknown. A row with a pid begins a
 * process and is its main thread; a row without is the next thread of that process. Returns 0; 1
 * with *why and perhaps *column if the row is rejected as a whole; -1 with e filled.
 */
int pm_papiex_row(struct pm_papiex *x, const struct pm_str *value, const char **why,
		  const char **column, struct pm_err *e);

/* End of the current process's rows: write its end record, unless some of its threads are missing,
 * which another load may have. Returns 0 or -1 with e filled. */
int pm_papiex_end(struct pm_papiex *x, struct pm_err *e);

/* End of all rows: write the end records of processes whose threads never arrived. Returns 0 or -1
 * with e filled. */
int pm_papiex_finish(struct pm_papiex *x, struct pm_err *e);

#endif
