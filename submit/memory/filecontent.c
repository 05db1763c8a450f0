/* Digests and compressed content of files, made by a thread beside the parser. */
#include "config.h"

#include "submit/keep.h"

#include "submit/coder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes handed over at once, and how many such chunks there are: what the thread may lag behind. */
#define CHUNK  ((size_t)256 * 1024)
#define CHUNKS 4
/* Most files, or parts of one, in a chunk. */
#define PARTS  256

struct part {
	size_t end; /* where it ends in the chunk */
	bool last;  /* the file ends with it */
};

struct chunk {
	size_t fill;
	size_t parts;
	struct part part[PARTS];
	char data[CHUNK];
};

/* Where its pieces begin in the store, and the digest behind them. */
struct kept {
	uint64_t first, digest;
};

struct pm_keep {
	pthread_t thread;
	bool threaded; /* else the caller does the work itself */
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	uint64_t given, done; /* chunks; chunk n is at n % CHUNKS */
	bool over;
	struct chunk *chunk; /* CHUNKS of them */
	uint32_t ended;      /* files the caller has ended */

	/* The worker's own, the caller's after pm_keep_wait. */
	struct pm_store store;
	struct pm_digest digest;
	bool begun; /* the current file has a digest under way */
	struct kept *file;
	size_t files, files_cap;
	uint64_t first;
	char digest_text[PM_DIGEST_TEXT]; /* the one asked for last */
	struct pm_err error;
	bool failed;
	struct pm_coder *coder;
};

static int put(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct pm_keep *k = ctx;

	return pm_store_put(&k->store, p, n, e) ? 0 : -1;
}

static void end_file(struct pm_keep *k)
{
	char text[PM_DIGEST_TEXT];
	struct kept *f;

	if (k->files == k->files_cap) {
		size_t cap = k->files_cap ? 2 * k->files_cap : 16;
		void *p = realloc(k->file, cap * sizeof k->file[0]);

		if (!p) {
			pm_err(&k->error, "out of memory");
			k->failed = true;
			return;
		}
		k->file = p;
		k->files_cap = cap;
	}
	f = &k->file[k->files++];
	f->first = k->first;
	f->digest = pm_store_end(&k->store);
	pm_digest_text(&k->digest, text);
	k->begun = false;
	if (!k->failed && !pm_store_put(&k->store, text, sizeof text, &k->error))
		k->failed = true;
}

static void work_on(struct pm_keep *k, const struct chunk *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->parts; i++) {
		const struct part *p = &c->part[i];

		if (!k->begun) {
			pm_digest_init(&k->digest);
			k->first = pm_store_end(&k->store);
			k->begun = true;
		}
		pm_digest_add(&k->digest, c->data + at, p->end - at);
		if (!k->failed &&
		    pm_coder_feed(k->coder, c->data + at, p->end - at, p->last, &k->error) < 0)
			k->failed = true;
		if (p->last)
			end_file(k);
		at = p->end;
	}
}

static void *work(void *arg)
{
	struct pm_keep *k = arg;

	pthread_mutex_lock(&k->lock);
	for (;;) {
		while (k->done == k->given && !k->over)
			pthread_cond_wait(&k->filled, &k->lock);
		if (k->done == k->given)
			break;
		pthread_mutex_unlock(&k->lock);
		work_on(k, &k->chunk[k->done % CHUNKS]);
		pthread_mutex_lock(&k->lock);
		k->done++;
		pthread_cond_signal(&k->emptied);
	}
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

struct pm_keep *pm_keep_new(struct pm_err *e)
{
	struct pm_keep *k = calloc(1, sizeof *k);
	sigset_t all, before;

	if (!k || !(k->chunk = calloc(CHUNKS, sizeof k->chunk[0])) ||
	    !(k->coder = pm_coder_new(put, k, e))) {
		if (k)
			free(k->chunk);
		free(k);
		pm_err(e, "out of memory");
		return NULL;
	}
	pm_store_init(&k->store);
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->filled, NULL);
	pthread_cond_init(&k->emptied, NULL);
	/* Signals are for the thread that everybody knows. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	k->threaded = pthread_create(&k->thread, NULL, work, k) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return k;
}

void pm_keep_free(struct pm_keep *k)
{
	if (!k)
		return;
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		k->over = true;
		pthread_cond_signal(&k->filled);
		pthread_mutex_unlock(&k->lock);
		pthread_join(k->thread, NULL);
	}
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->filled);
	pthread_cond_destroy(&k->emptied);
	pm_coder_free(k->coder);
	pm_store_free(&k->store);
	free(k->file);
	free(k->chunk);
	free(k);
}

/* The chunk being filled: only the caller touches it. */
static struct chunk *filling(struct pm_keep *k)
{
	return &k->chunk[k->given % CHUNKS];
}

/* Hand it over, and wait for an empty one. */
static void hand_over(struct pm_keep *k)
{
	if (filling(k)->parts == 0)
		return;
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		k->given++;
		pthread_cond_signal(&k->filled);
		while (k->given - k->done == CHUNKS)
			pthread_cond_wait(&k->emptied, &k->lock);
		pthread_mutex_unlock(&k->lock);
	} else {
		work_on(k, filling(k));
		k->given++;
	}
	filling(k)->fill = 0;
	filling(k)->parts = 0;
}

/* Extend the last part of the chunk, or begin one. */
static void extend(struct chunk *c, bool last)
{
	if (c->parts == 0 || c->part[c->parts - 1].last)
		c->parts++;
	c->part[c->parts - 1] = (struct part){ c->fill, last };
}

void pm_keep_add(struct pm_keep *k, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0) {
		struct chunk *c = filling(k);
		size_t take = n < CHUNK - c->fill ? n : CHUNK - c->fill;

		memcpy(c->data + c->fill, p, take);
		c->fill += take;
		extend(c, false);
		p += take;
		n -= take;
		if (c->fill == CHUNK)
			hand_over(k);
	}
}

uint32_t pm_keep_end(struct pm_keep *k)
{
	extend(filling(k), true);
	if (filling(k)->parts == PARTS)
		hand_over(k);
	return k->ended++;
}

int pm_keep_wait(struct pm_keep *k, struct pm_err *e)
{
	hand_over(k);
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		while (k->done != k->given)
			pthread_cond_wait(&k->emptied, &k->lock);
		pthread_mutex_unlock(&k->lock);
	}
	return k->failed ? pm_err(e, "%s", k->error.text) : 0;
}

const char *pm_keep_digest(struct pm_keep *k, uint32_t file, struct pm_err *e)
{
	struct pm_str item;

	if (pm_store_get(&k->store, k->file[file].digest, &item, e) < 0)
		return NULL;
	memcpy(k->digest_text, item.p, sizeof k->digest_text);
	return k->digest_text;
}

int pm_keep_each(struct pm_keep *k, uint32_t file,
		 int (*each)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		 struct pm_err *e)
{
	uint64_t at = k->file[file].first;
	struct pm_str item;

	while (at < k->file[file].digest) {
		if (pm_store_walk(&k->store, at, &item, e) < 0 || each(ctx, item.p, item.n, e) < 0)
			return -1;
		at = pm_store_next(at, item);
	}
	return 0;
}
