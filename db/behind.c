/*
 * A ring of pieces. The one at `given` is being filled and the caller's alone; those from `done` up
 * to it are the writer's. The numbers and the failure are looked at under the lock; before there is
 * a thread nobody else looks.
 */
#include "config.h"

#include "db/behind.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PIECE  PM_BEHIND_PIECE
#define PIECES PM_BEHIND_PIECES

/* The thread is woken for so many pieces, and the caller when no more are left: being woken takes
 * longer than to write one. */
#define WORTH (PIECES / 2)

struct piece {
	int64_t at;
	size_t n;
};

struct pm_behind {
	int (*write)(void *ctx, const void *p, size_t n, int64_t at);
	void *ctx;
	char *data; /* PIECES of PIECE bytes */
	struct piece piece[PIECES];
	uint64_t given, done; /* piece n is at n % PIECES */
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	pthread_t thread;
	bool started, threaded; /* the thread was tried, and is there */
	bool over;
	uint64_t enough; /* so few may be left when the caller is to be woken */
	int failure;
};

static size_t slot(uint64_t number)
{
	return (size_t)(number % PIECES);
}

/* Write the oldest piece; after a failure it is passed over. */
static int write_oldest(const struct pm_behind *b, int failure)
{
	size_t i = slot(b->done);

	return failure ? failure
		       : b->write(b->ctx, b->data + i * PIECE, b->piece[i].n, b->piece[i].at);
}

static void *work(void *arg)
{
	struct pm_behind *b = arg;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		int failure;

		while (b->done == b->given && !b->over)
			pthread_cond_wait(&b->filled, &b->lock);
		if (b->done == b->given)
			break;
		failure = b->failure;
		pthread_mutex_unlock(&b->lock);
		failure = write_oldest(b, failure);
		pthread_mutex_lock(&b->lock);
		b->failure = failure;
		b->done++;
		if (b->given - b->done <= b->enough)
			pthread_cond_signal(&b->emptied);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct pm_behind *pm_behind_new(int (*write)(void *ctx, const void *p, size_t n, int64_t at),
				void *ctx)
{
	struct pm_behind *b = calloc(1, sizeof *b);

	if (!b || !(b->data = malloc(PIECES * PIECE))) {
		free(b);
		return NULL;
	}
	b->write = write;
	b->ctx = ctx;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->filled, NULL);
	pthread_cond_init(&b->emptied, NULL);
	return b;
}

/* Start the thread: what is little does without. Signals are for the thread that everybody knows.
 */
static void start(struct pm_behind *b)
{
	sigset_t all, before;

	b->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	b->threaded = pthread_create(&b->thread, NULL, work, b) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* See that no more than some pieces wait. Called with the lock held. */
static void leave(struct pm_behind *b, uint64_t most, uint64_t enough)
{
	for (; !b->threaded && b->given - b->done > most; b->done++)
		b->failure = write_oldest(b, b->failure);
	b->enough = enough;
	while (b->given - b->done > most) {
		pthread_cond_signal(&b->filled);
		pthread_cond_wait(&b->emptied, &b->lock);
	}
	b->enough = 0;
}

/* Hand the piece over that is being filled. Returns the failure so far. */
static int give(struct pm_behind *b)
{
	int failure;

	if (!b->started && b->given + 1 - b->done == PIECES)
		start(b);
	pthread_mutex_lock(&b->lock);
	b->given++;
	if (b->threaded && b->given - b->done >= WORTH)
		pthread_cond_signal(&b->filled);
	if (b->given - b->done == PIECES)
		leave(b, b->threaded ? PIECES - 1 : 0, WORTH);
	b->piece[slot(b->given)].n = 0;
	failure = b->failure;
	pthread_mutex_unlock(&b->lock);
	return failure;
}

int pm_behind_put(struct pm_behind *b, const void *p, size_t n, int64_t at)
{
	const char *from = p;
	int failure = 0;

	while (n > 0 && failure == 0) {
		struct piece *to = &b->piece[slot(b->given)];
		size_t room, take;

		if (to->n && to->at + (int64_t)to->n != at) {
			failure = give(b);
			continue;
		}
		if (to->n == 0)
			to->at = at;
		/* Pieces end where they would if the file were cut into such: that is what the
		 * kernel keeps with the least effort. */
		room = PIECE - (size_t)to->at % PIECE - to->n;
		take = n < room ? n : room;
		memcpy(b->data + slot(b->given) * PIECE + to->n, from, take);
		to->n += take;
		from += take;
		at += (int64_t)take;
		n -= take;
		if (take == room)
			failure = give(b);
	}
	return failure;
}

bool pm_behind_holds(struct pm_behind *b, size_t n, int64_t at)
{
	bool holds = false;

	pthread_mutex_lock(&b->lock);
	for (uint64_t i = b->done; i <= b->given; i++) {
		const struct piece *x = &b->piece[slot(i)];

		holds = holds || (x->n && x->at < at + (int64_t)n && at < x->at + (int64_t)x->n);
	}
	pthread_mutex_unlock(&b->lock);
	return holds;
}

int pm_behind_wait(struct pm_behind *b)
{
	int failure;

	if (b->piece[slot(b->given)].n)
		give(b);
	pthread_mutex_lock(&b->lock);
	leave(b, 0, 0);
	failure = b->failure;
	b->failure = 0;
	pthread_mutex_unlock(&b->lock);
	return failure;
}

void pm_behind_free(struct pm_behind *b)
{
	if (!b)
		return;
	pm_behind_wait(b);
	if (b->threaded) {
		pthread_mutex_lock(&b->lock);
		b->over = true;
		pthread_cond_signal(&b->filled);
		pthread_mutex_unlock(&b->lock);
		pthread_join(b->thread, NULL);
	}
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->filled);
	pthread_cond_destroy(&b->emptied);
	free(b->data);
	free(b);
}
