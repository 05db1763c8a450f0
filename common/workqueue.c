/* Work in a background thread: caller and thread share struct pm_workqueue, under its lock alone.
 */
#include "config.h"

#include "common/workqueue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

struct pm_workqueue {
	int (*work)(void *ctx, void *item, struct pm_err *e);
	void (*after)(void *ctx, void *item);
	void *ctx;
	pthread_t thread;
	bool started, threaded; /* tried to create the thread; the thread exists */
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	bool stopping, failed;
	int error; /* errno of the failure */
	struct pm_err why;
	uint64_t given, done; /* numbers of items; item n is at n % most */
	size_t most;
	void *item[];
};

/* Work on an item, unless an earlier one failed. Called with the lock held, which is released
 * meanwhile. */
static void work_on(struct pm_workqueue *q, void *item)
{
	bool skipped = q->failed;
	struct pm_err why = { "" };
	int rc = 0, error = 0;

	pthread_mutex_unlock(&q->lock);
	if (!skipped) {
		rc = q->work(q->ctx, item, &why);
		error = errno;
	}
	if (q->after)
		q->after(q->ctx, item);
	pthread_mutex_lock(&q->lock);
	if (rc < 0) {
		q->failed = true;
		q->error = error;
		q->why = why;
	}
}

static void *run_thread(void *arg)
{
	struct pm_workqueue *q = arg;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (q->done == q->given && !q->stopping)
			pthread_cond_wait(&q->filled, &q->lock);
		if (q->done == q->given)
			break;
		work_on(q, q->item[q->done % q->most]);
		q->done++;
		pthread_cond_signal(&q->emptied);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

struct pm_workqueue *pm_workqueue_new(int (*work)(void *ctx, void *item, struct pm_err *e),
				      void (*after)(void *ctx, void *item), void *ctx, size_t most)
{
	struct pm_workqueue *q = calloc(1, sizeof *q + most * sizeof q->item[0]);

	if (!q)
		return NULL;
	q->work = work;
	q->after = after;
	q->ctx = ctx;
	q->most = most;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->emptied, NULL);
	return q;
}

void pm_workqueue_free(struct pm_workqueue *q)
{
	if (!q)
		return;
	if (q->threaded) {
		pthread_mutex_lock(&q->lock);
		q->stopping = true;
		pthread_cond_signal(&q->filled);
		pthread_mutex_unlock(&q->lock);
		pthread_join(q->thread, NULL);
	}
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->filled);
	pthread_cond_destroy(&q->emptied);
	free(q);
}

/* Create the thread. Signals go to the main thread. */
static void start_thread(struct pm_workqueue *q)
{
	sigset_t all, before;

	q->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	q->threaded = pthread_create(&q->thread, NULL, run_thread, q) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Wait until fewer than n items are left. Called with the lock held. */
static void wait_below(struct pm_workqueue *q, size_t n)
{
	while (q->given - q->done >= n)
		pthread_cond_wait(&q->emptied, &q->lock);
}

/* Release the lock and report the failure, if there was one. */
static int unlock_and_report(struct pm_workqueue *q, struct pm_err *e)
{
	bool failed = q->failed;
	int error = q->error;

	if (failed)
		pm_err(e, "%s", q->why.text);
	pthread_mutex_unlock(&q->lock);
	if (!failed)
		return 0;
	errno = error;
	return -1;
}

int pm_workqueue_give(struct pm_workqueue *q, void *item, struct pm_err *e)
{
	if (!q->started)
		start_thread(q);
	pthread_mutex_lock(&q->lock);
	if (q->threaded) {
		wait_below(q, q->most);
		q->item[q->given++ % q->most] = item;
		pthread_cond_signal(&q->filled);
	} else {
		work_on(q, item);
	}
	return unlock_and_report(q, e);
}

int pm_workqueue_wait(struct pm_workqueue *q, struct pm_err *e)
{
	pthread_mutex_lock(&q->lock);
	wait_below(q, 1);
	return unlock_and_report(q, e);
}

int pm_workqueue_last(struct pm_workqueue *q, void *item, struct pm_err *e)
{
	pthread_mutex_lock(&q->lock);
	wait_below(q, 1);
	work_on(q, item);
	return unlock_and_report(q, e);
}

bool pm_workqueue_started(const struct pm_workqueue *q)
{
	return q->started;
}

void pm_workqueue_drop(struct pm_workqueue *q)
{
	pthread_mutex_lock(&q->lock);
	q->failed = true;
	wait_below(q, 1);
	q->failed = false;
	pthread_mutex_unlock(&q->lock);
}
