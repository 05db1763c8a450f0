/* Digests and compressed content of files, made by a thread beside the parser. */
#include "config.h"

#include "submit/memory/filecontent.h"

#include "submit/memory/coder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Size of a chunk handed to the thread, and number of chunks: how far the thread may lag behind. */
#define CHUNK  ((size_t)256 * 1024)
#define CHUNKS 4
/* Maximum number of files, or parts of files, in a chunk. */
#define PARTS  256

struct part {
	size_t end; /* its end in the chunk */
	bool last;  /* the file ends with it */
};

struct chunk {
	size_t fill;
	size_t parts;
	struct part part[PARTS];
	char data[CHUNK];
};

/* Store offsets of a file's first piece, and of the digest after its pieces. */
struct kept {
	uint64_t first, digest;
};

struct pm_filecontent {
	pthread_t thread;
	bool threaded; /* else the caller does the work itself */
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	uint64_t given, processed; /* numbers of chunks; chunk n is at n % CHUNKS */
	bool stopping;
	struct chunk *chunk; /* CHUNKS of them */
	uint32_t ended;      /* files the caller has ended */

	/* Owned by the thread, and by the caller after pm_filecontent_wait. */
	struct pm_blobs store;
	struct pm_digest digest;
	bool begun; /* the current file has a digest under way */
	struct kept *file;
	size_t files, files_cap;
	uint64_t first;
	char digest_text[PM_DIGEST_TEXT]; /* result of pm_filecontent_digest */
	struct pm_err error;
	bool failed;
	struct pm_coder *coder;
};

static int store_piece(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct pm_filecontent *k = ctx;

	return pm_blobs_put(&k->store, p, n, e) ? 0 : -1;
}

static void end_file(struct pm_filecontent *k)
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
	f->digest = pm_blobs_end(&k->store);
	pm_digest_text(&k->digest, text);
	k->begun = false;
	if (!k->failed && !pm_blobs_put(&k->store, text, sizeof text, &k->error))
		k->failed = true;
}

static void process_chunk(struct pm_filecontent *k, const struct chunk *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->parts; i++) {
		const struct part *p = &c->part[i];

		if (!k->begun) {
			pm_digest_init(&k->digest);
			k->first = pm_blobs_end(&k->store);
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

static void *run_worker(void *arg)
{
	struct pm_filecontent *k = arg;

	pthread_mutex_lock(&k->lock);
	for (;;) {
		while (k->processed == k->given && !k->stopping)
			pthread_cond_wait(&k->filled, &k->lock);
		if (k->processed == k->given)
			break;
		pthread_mutex_unlock(&k->lock);
		process_chunk(k, &k->chunk[k->processed % CHUNKS]);
		pthread_mutex_lock(&k->lock);
		k->processed++;
		pthread_cond_signal(&k->emptied);
	}
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

struct pm_filecontent *pm_filecontent_new(struct pm_err *e)
{
	struct pm_filecontent *k = calloc(1, sizeof *k);
	sigset_t all, before;

	if (!k || !(k->chunk = calloc(CHUNKS, sizeof k->chunk[0])) ||
	    !(k->coder = pm_coder_new(store_piece, k, e))) {
		if (k)
			free(k->chunk);
		free(k);
		pm_err(e, "out of memory");
		return NULL;
	}
	pm_blobs_init(&k->store);
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->filled, NULL);
	pthread_cond_init(&k->emptied, NULL);
	/* Leave signals to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	k->threaded = pthread_create(&k->thread, NULL, run_worker, k) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return k;
}

void pm_filecontent_free(struct pm_filecontent *k)
{
	if (!k)
		return;
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		k->stopping = true;
		pthread_cond_signal(&k->filled);
		pthread_mutex_unlock(&k->lock);
		pthread_join(k->thread, NULL);
	}
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->filled);
	pthread_cond_destroy(&k->emptied);
	pm_coder_free(k->coder);
	pm_blobs_free(&k->store);
	free(k->file);
	free(k->chunk);
	free(k);
}

/* The chunk being filled: only the caller accesses it. */
static struct chunk *filling_chunk(struct pm_filecontent *k)
{
	return &k->chunk[k->given % CHUNKS];
}

/* Hand the chunk being filled to the thread, and wait for an empty one. */
static void hand_over(struct pm_filecontent *k)
{
	if (filling_chunk(k)->parts == 0)
		return;
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		k->given++;
		pthread_cond_signal(&k->filled);
		while (k->given - k->processed == CHUNKS)
			pthread_cond_wait(&k->emptied, &k->lock);
		pthread_mutex_unlock(&k->lock);
	} else {
		process_chunk(k, filling_chunk(k));
		k->given++;
	}
	filling_chunk(k)->fill = 0;
	filling_chunk(k)->parts = 0;
}

/* Extend the open part of the chunk to its fill level, or begin a new part. */
static void extend_part(struct chunk *c, bool last)
{
	if (c->parts == 0 || c->part[c->parts - 1].last)
		c->parts++;
	c->part[c->parts - 1] = (struct part){ c->fill, last };
}

void pm_filecontent_add(struct pm_filecontent *k, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0) {
		struct chunk *c = filling_chunk(k);
		size_t take = n < CHUNK - c->fill ? n : CHUNK - c->fill;

		memcpy(c->data + c->fill, p, take);
		c->fill += take;
		extend_part(c, false);
		p += take;
		n -= take;
		if (c->fill == CHUNK)
			hand_over(k);
	}
}

uint32_t pm_filecontent_end(struct pm_filecontent *k)
{
	extend_part(filling_chunk(k), true);
	if (filling_chunk(k)->parts == PARTS)
		hand_over(k);
	return k->ended++;
}

int pm_filecontent_wait(struct pm_filecontent *k, struct pm_err *e)
{
	hand_over(k);
	if (k->threaded) {
		pthread_mutex_lock(&k->lock);
		while (k->processed != k->given)
			pthread_cond_wait(&k->emptied, &k->lock);
		pthread_mutex_unlock(&k->lock);
	}
	return k->failed ? pm_err(e, "%s", k->error.text) : 0;
}

const char *pm_filecontent_digest(struct pm_filecontent *k, uint32_t file, struct pm_err *e)
{
	struct pm_str item;

	if (pm_blobs_get(&k->store, k->file[file].digest, &item, e) < 0)
		return NULL;
	memcpy(k->digest_text, item.p, sizeof k->digest_text);
	return k->digest_text;
}

int pm_filecontent_each(struct pm_filecontent *k, uint32_t file,
			int (*each)(void *ctx, const char *p, size_t n, struct pm_err *e),
			void *ctx, struct pm_err *e)
{
	uint64_t at = k->file[file].first;
	struct pm_str item;

	while (at < k->file[file].digest) {
		if (pm_blobs_walk(&k->store, at, &item, e) < 0 || each(ctx, item.p, item.n, e) < 0)
			return -1;
		at = pm_blobs_next(at, item);
	}
	return 0;
}
