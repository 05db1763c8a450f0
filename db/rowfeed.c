/* Pass batches from the thread that fills them to the writer thread, and back to be filled again.
 */
#include "config.h"

#include "db/rowfeed.h"

#include "common/workqueue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Cells of a batch: even those of the widest table fit into a processor's caches. */
#define CELLS ((size_t)8192)

/* Batches that wait to be written or are being written. */
#define GIVEN 4

struct pm_rowfeed {
	int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e);
	void *ctx;
	struct pm_workqueue *queue;
	pthread_mutex_t lock;     /* of `free` */
	struct pm_rowbatch *free; /* to be filled again, the last written first */
};

static void free_batch(struct pm_rowbatch *b)
{
	if (b) {
		free(b->cell);
		free(b->order);
		free(b->text);
	}
	free(b);
}

static int write_batch(void *ctx, void *item, struct pm_err *e)
{
	struct pm_rowfeed *f = ctx;

	return f->take(f->ctx, item, e);
}

static void put_back(void *ctx, void *item)
{
	struct pm_rowfeed *f = ctx;
	struct pm_rowbatch *b = item;

	pthread_mutex_lock(&f->lock);
	b->next = f->free;
	f->free = b;
	pthread_mutex_unlock(&f->lock);
}

struct pm_rowfeed *pm_rowfeed_new(int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e),
				  void *ctx)
{
	struct pm_rowfeed *f = calloc(1, sizeof *f);

	if (!f || !(f->queue = pm_workqueue_new(write_batch, put_back, f, GIVEN))) {
		free(f);
		return NULL;
	}
	f->take = take;
	f->ctx = ctx;
	pthread_mutex_init(&f->lock, NULL);
	return f;
}

void pm_rowfeed_free(struct pm_rowfeed *f)
{
	if (!f)
		return;
	pm_workqueue_free(f->queue);
	pthread_mutex_destroy(&f->lock);
	for (struct pm_rowbatch *b = f->free, *next; b; b = next) {
		next = b->next;
		free_batch(b);
	}
	free(f);
}

static struct pm_rowbatch *new_batch(int columns)
{
	struct pm_rowbatch *b = calloc(1, sizeof *b);
	size_t cells = CELLS > (size_t)columns ? CELLS : (size_t)columns;

	if (!b || !(b->cell = malloc(cells * sizeof b->cell[0])) ||
	    !(b->order = malloc(2 * cells * sizeof b->order[0]))) {
		free_batch(b);
		return NULL;
	}
	b->cells = cells;
	return b;
}

struct pm_rowbatch *pm_rowfeed_get(struct pm_rowfeed *f, int columns, struct pm_err *e)
{
	struct pm_rowbatch *b;

	pthread_mutex_lock(&f->lock);
	b = f->free;
	if (b)
		f->free = b->next;
	pthread_mutex_unlock(&f->lock);
	if (!b && !(b = new_batch(columns))) {
		errno = ENOMEM;
		pm_err(e, "out of memory");
		return NULL;
	}
	b->columns = columns;
	b->rows = b->len = 0;
	pm_rowbatch_clear(b);
	return b;
}

int pm_rowfeed_give(struct pm_rowfeed *f, struct pm_rowbatch *b, struct pm_err *e)
{
	return pm_workqueue_give(f->queue, b, e);
}

bool pm_rowfeed_started(const struct pm_rowfeed *f)
{
	return pm_workqueue_started(f->queue);
}

void pm_rowfeed_last(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	if (b->rows)
		pm_workqueue_last(f->queue, b, NULL);
	else
		put_back(f, b);
}

void pm_rowfeed_return(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	put_back(f, b);
}

int pm_rowfeed_wait(struct pm_rowfeed *f, struct pm_err *e)
{
	return pm_workqueue_wait(f->queue, e);
}

void pm_rowfeed_drop(struct pm_rowfeed *f)
{
	pm_workqueue_drop(f->queue);
}
