/*
 * What papiex says of processes and threads, as records: columns by name, then a row of values per
 * thread. Where the rows come from, lines of files or rows of a database, is its callers' business.
 * Programs only.
 */
#ifndef PM_PAPIEX_H
#define PM_PAPIEX_H

#include "common/err.h"
#include "common/record.h"
#include "submit/papiex_row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest host name. */
#define PM_PAPIEX_HOST 1024

enum pm_papiex_state {
	PM_PAPIEX_NONE,
	PM_PAPIEX_OPEN,
	PM_PAPIEX_REFUSED,
	PM_PAPIEX_KNOWN, /* another load has it: its rows are only compared */
};

/* A process of which threads are missing: another load may have them. */
struct pm_papiex_parked;

struct pm_papiex {
	/* Takes a record whose texts live until it returns. Returns as pm_images_add: 0; 1 with
	 * *why, rejected; -1 with e filled. */
	int (*record)(void *ctx, const struct pm_record *r, const char **why, struct pm_err *e);
	/* When loads are merged: whether another load has the row of this hash; if not, it is noted
	 * for the current load. Returns 1, 0, or -1 with e filled. NULL for a single load. */
	int (*known)(void *ctx, uint64_t hash, struct pm_err *e);
	void *ctx;
	char host[PM_PAPIEX_HOST]; /* escaped: of rows that name none */

	struct pm_papiex_columns named;
	struct pm_papiex_text tail; /* of the end, escaped */

	/* The process whose rows come. */
	enum pm_papiex_state state;
	char hostname[PM_PAPIEX_HOST];
	struct pm_record end;  /* what its end record will say */
	int64_t rows, threads; /* so far, and in all; 0 unknown */
	int64_t counted; /* number of its threads' rows if the caller has counted them; else 0 */
	bool signal;
	bool again;    /* another load has the last row */
	uint64_t hash; /* of the row that began the process, and of its columns */
	uint64_t seen; /* rows of the process, rejected ones included */
	struct pm_papiex_parked *parked;
	size_t parked_count, parked_cap;
	uint64_t missing; /* rows of threads that never came, of all processes so far */
};

/* Start: records go to `record`. Free what it holds. */
void pm_papiex_init(struct pm_papiex *x,
		    int (*record)(void *ctx, const struct pm_record *r, const char **why,
				  struct pm_err *e),
		    void *ctx);
void pm_papiex_free(struct pm_papiex *x);

/* Set the host of rows that name none. */
void pm_papiex_host(struct pm_papiex *x, const char *name, size_t n);

/*
 * The names of the columns of the rows that follow. Returns 0; 1 with *why where they are not
 * usable (none of the columns a process needs, too many); -1 with e filled.
 */
int pm_papiex_columns(struct pm_papiex *x, const struct pm_str *name, size_t n, const char **why,
		      struct pm_err *e);

/*
 * A row of as many values as there are columns; an empty value is unknown. One with a pid begins a
 * process and is its main thread, one without is the next thread of the process before. Returns 0;
 * 1 with *why and perhaps *column, rejected: nothing of it was taken; -1 with e filled.
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
