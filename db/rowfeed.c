/*
 * Pass batches from the thread that fills them to the writer thread. The threads share the queue,
 * the free batches, the failure and the flags of struct pm_rowfeed, under its lock alone. A batch
 * belongs to the thread that took it last.
 */
#include "config.h"

#include "db/rowfeed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* Cells of a batch: even those of the widest table fit into a processor's caches. */
#define CELLS ((size_t)8192)

/* Batches that may wait to be written. */
#define WAITING 4

struct pm_rowfeed {
	int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e);
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t given, taken;
	pthread_t thread;
	bool started, threaded; /* tried to create the thread; the thread exists */
	bool over;
	struct pm_rowbatch *first, **end; /* the queue */
	size_t waiting;
	bool busy; /* a batch is being written */
	struct pm_rowbatch *free;
	bool failed;
	int error; /* errno of the failure */
	struct pm_err why;
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

static void put_back(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	b->next = f->free;
	f->free = b;
}

/* Write one batch, unless an earlier one failed, and free it. Called with the lock held, which is
 * released while `take` runs. */
static void write_one(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	struct pm_err why = { "" };
	int rc = 0, error = 0;

	if (!f->failed) {
		f->busy = true;
		pthread_mutex_unlock(&f->lock);
		rc = f->take(f->ctx, b, &why);
		error = errno;
		pthread_mutex_lock(&f->lock);
		f->busy = false;
	}
	if (rc < 0) {
		f->failed = true;
		f->error = error;
		f->why = why;
	}
	put_back(f, b);
	pthread_cond_signal(&f->taken);
}

static void *run_writer(void *arg)
{
	struct pm_rowfeed *f = arg;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		struct pm_rowbatch *b = f->first;

		if (!b && f->over)
			break;
		if (!b) {
			pthread_cond_wait(&f->given, &f->lock);
			continue;
		}
		f->first = b->next;
		if (!f->first)
			f->end = &f->first;
		f->waiting--;
		write_one(f, b);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct pm_rowfeed *pm_rowfeed_new(int (*take)(void *ctx, struct pm_rowbatch *b, struct pm_err *e),
				  void *ctx)
{
	struct pm_rowfeed *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->take = take;
	f->ctx = ctx;
	f->end = &f->first;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->given, NULL);
	pthread_cond_init(&f->taken, NULL);
	return f;
}

void pm_rowfeed_free(struct pm_rowfeed *f)
{
	if (!f)
		return;
	if (f->threaded) {
		pthread_mutex_lock(&f->lock);
		f->over = true;
		pthread_cond_signal(&f->given);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->given);
	pthread_cond_destroy(&f->taken);
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
	while (f->waiting >= WAITING)
		pthread_cond_wait(&f->taken, &f->lock);
	b = f->free;
	if (b)
		f->free = b->next;
	pthread_mutex_unlock(&f->lock);
	if (!b && !(b = new_batch(columns))) {
		errno = ENOMEM;
		pm_err(e, "out of memory");
		return NULL;
	}
	b->next = NULL;
	b->columns = columns;
	b->rows = b->len = 0;
	pm_rowbatch_clear(b);
	return b;
}

/* Start the writer thread, with the first batch: small jobs do without a thread. Signals go to the
 * main thread. */
static void start_writer(struct pm_rowfeed *f)
{
	sigset_t all, before;

	f->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	f->threaded = pthread_create(&f->thread, NULL, run_writer, f) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Report the failure, if there was one. Called with the lock held. */
static int report_failure(const struct pm_rowfeed *f, struct pm_err *e)
{
	if (!f->failed)
		return 0;
	pm_err(e, "%s", f->why.text);
	errno = f->error;
	return -1;
}

int pm_rowfeed_give(struct pm_rowfeed *f, struct pm_rowbatch *b, struct pm_err *e)
{
	int rc, error;

	if (!f->started)
		start_writer(f);
	pthread_mutex_lock(&f->lock);
	if (f->threaded) {
		b->next = NULL;
		*f->end = b;
		f->end = &b->next;
		f->waiting++;
		pthread_cond_signal(&f->given);
	} else {
		write_one(f, b);
	}
	rc = report_failure(f, e);
	error = errno;
	pthread_mutex_unlock(&f->lock);
	errno = error;
	return rc;
}

bool pm_rowfeed_started(const struct pm_rowfeed *f)
{
	return f->started;
}

/* Wait until the queue is empty and nothing is being written. Called with the lock held. */
static void wait_all(struct pm_rowfeed *f)
{
	while (f->first || f->busy)
		pthread_cond_wait(&f->taken, &f->lock);
}

void pm_rowfeed_last(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	pthread_mutex_lock(&f->lock);
	wait_all(f);
	if (b->rows)
		write_one(f, b);
	else
		put_back(f, b);
	pthread_mutex_unlock(&f->lock);
}

void pm_rowfeed_return(struct pm_rowfeed *f, struct pm_rowbatch *b)
{
	pthread_mutex_lock(&f->lock);
	put_back(f, b);
	pthread_mutex_unlock(&f->lock);
}

int pm_rowfeed_wait(struct pm_rowfeed *f, struct pm_err *e)
{
	int rc, error;

	pthread_mutex_lock(&f->lock);
	wait_all(f);
	rc = report_failure(f, e);
	error = errno;
	pthread_mutex_unlock(&f->lock);
	errno = error;
	return rc;
}

void pm_rowfeed_drop(struct pm_rowfeed *f)
{
	pthread_mutex_lock(&f->lock);
	/* After a failure the writer skips queued batches. */
	f->failed = true;
	wait_all(f);
	f->failed = false;
	pthread_mutex_unlock(&f->lock);
}
