/* Pass batches of rows from the thread that fills them to a writer thread. */
#ifndef PM_DB_ROWFEED_H
#define PM_DB_ROWFEED_H

#include "db/rowbatch.h"

/* A writer thread and its queue of batches, first in, first out. */
struct pm_rowfeed;

/*
 * `take` writes the rows of a batch: in the writer thread, or in the caller of pm_rowfeed_give if
 * no thread can be created. `take` returns 0 or -1 with e filled; after a failure no more batches
 * are written. The thread starts with the first batch. Returns NULL if out of memory.
 */
struct pm_rowfeed *pm_rowfeed_new(int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e),
				  void *ctx);

/* Stop the thread and free everything. Every batch must have been handed back. */
void pm_rowfeed_free(struct pm_rowfeed *f);

/* Get an empty batch for rows of `columns` columns. NULL with e filled if out of memory. The caller
 * hands the batch back by pm_rowfeed_give, pm_rowfeed_last or pm_rowfeed_return. */
struct pm_rowbatch *pm_rowfeed_get(struct pm_rowfeed *f, int columns, struct pm_err *e);

/* Queue a batch for the writer; waits while too many batches are queued. Returns 0, or -1 with e
 * filled and errno set if a batch failed. */
int pm_rowfeed_give(struct pm_rowfeed *f, struct pm_rowbatch *b, struct pm_err *e);

/* Whether a batch was ever queued. */
bool pm_rowfeed_started(const struct pm_rowfeed *f);

/* Hand back the last batch, which is not full: when all queued batches are written, write its rows
 * in the caller's thread. pm_rowfeed_wait reports a failure. */
void pm_rowfeed_last(struct pm_rowfeed *f, struct pm_rowbatch *b);

/* Hand a batch back without writing its rows. */
void pm_rowfeed_return(struct pm_rowfeed *f, struct pm_rowbatch *b);

/* Wait until all queued batches are written. Returns the same as pm_rowfeed_give(). */
int pm_rowfeed_wait(struct pm_rowfeed *f, struct pm_err *e);

/* Drop the queued batches that are not written yet, and forget a failure. */
void pm_rowfeed_drop(struct pm_rowfeed *f);

#endif
