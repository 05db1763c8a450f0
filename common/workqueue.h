/* A queue of work for a background thread, bounded, first in, first out. */
#ifndef PM_COMMON_WORKQUEUE_H
#define PM_COMMON_WORKQUEUE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* One thread works on the items in the order given; one other thread calls the functions below. */
struct pm_workqueue;

/*
 * `work` works on an item, in the queue's thread, or in the caller of pm_workqueue_give if no
 * thread can be created. It returns 0, or -1 with e filled and errno set: the items that follow are
 * skipped. `after`, unless NULL, is called for each item that was worked on or skipped. At most
 * `most` items are in the queue and being worked on. The thread starts with the first item given.
 * Returns NULL if out of memory.
 */
struct pm_workqueue *pm_workqueue_new(int (*work)(void *ctx, void *item, struct pm_err *e),
				      void (*after)(void *ctx, void *item), void *ctx, size_t most);

/* Work on all items, stop the thread and free the queue, which may be NULL. */
void pm_workqueue_free(struct pm_workqueue *q);

/* Queue an item; waits while the queue is full. The item belongs to the thread until `after` is
 * called or pm_workqueue_wait returns. Returns 0, or -1 with e filled and errno set if an item
 * failed. */
int pm_workqueue_give(struct pm_workqueue *q, void *item, struct pm_err *e);

/* Wait until no item is left. Returns the same as pm_workqueue_give(), as often as asked. */
int pm_workqueue_wait(struct pm_workqueue *q, struct pm_err *e);

/* Wait until no item is left, then work on `item` in the caller's thread, so that little work needs
 * no thread. Returns the same as pm_workqueue_give(). */
int pm_workqueue_last(struct pm_workqueue *q, void *item, struct pm_err *e);

/* Whether an item was ever given. */
bool pm_workqueue_started(const struct pm_workqueue *q);

/* Skip the items that nobody works on yet, wait, and forget a failure. */
void pm_workqueue_drop(struct pm_workqueue *q);

#endif
