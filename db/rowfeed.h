/* Batches of rows from the thread that fills them to one that writes them. Programs only. */
#ifndef PM_DB_ROWFEED_H
#define PM_DB_ROWFEED_H

#include "db/rowbatch.h"

/* A thread that takes batches in the order they come. */
struct pm_rowfeed;

/*
 * `take` writes the rows of a batch: in the thread, or where that cannot be had, in the caller's of
 * pm_rowfeed_give. It returns 0 or -1 with e filled; after a failure nothing more is taken. The
 * thread starts with the first batch. Returns NULL without memory.
 */
struct pm_rowfeed *pm_rowfeed_new(int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e),
				  void *ctx);

/* Stop the thread and free everything. Batches must have come back. */
void pm_rowfeed_free(struct pm_rowfeed *f);

/* An empty batch for rows of so many columns, waited for where too many are under way; NULL with e
 * filled without memory. It goes back by pm_rowfeed_give or pm_rowfeed_return. */
struct pm_rowbatch *pm_rowfeed_get(struct pm_rowfeed *f, int columns, struct pm_err *e);

/* Hand a batch over. Returns 0, or -1 with e filled and errno set where one before it failed. */
int pm_rowfeed_give(struct pm_rowfeed *f, struct pm_rowbatch *b, struct pm_err *e);

/* Whether a batch was handed over, ever. */
bool pm_rowfeed_started(const struct pm_rowfeed *f);

/* Write the rows of the last one, which is not full, in the caller's thread, when all before it are
 * written, and give it back. A failure is told by pm_rowfeed_wait. */
void pm_rowfeed_last(struct pm_rowfeed *f, struct pm_rowbatch *b);

/* Give one back without its rows. */
void pm_rowfeed_return(struct pm_rowfeed *f, struct pm_rowbatch *b);

/* Wait until all that was handed over is written. Returns as pm_rowfeed_give. */
int pm_rowfeed_wait(struct pm_rowfeed *f, struct pm_err *e);

/* Forget the rows that were handed over and are not written yet, and what went wrong. */
void pm_rowfeed_drop(struct pm_rowfeed *f);

#endif
