/* Digests and compressed content of files, made by a thread beside the parser. */
#include "config.h"

#include "submit/memory/filecontent.h"

#include "common/workqueue.h"

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
	struct pm_workqueue *queue;
	struct chunk *chunk; /* CHUNKS of them: one being filled, the others given in order */
	size_t filling;      /* index of the chunk being filled */
	uint32_t ended;      /* files the caller has ended */
	uint64_t bytes;      /* bytes the caller has added */

	/* Owned by the thread, and by the caller after pm_filecontent_wait. */
	struct pm_blobs store;
	struct pm_digest digest;
	bool begun; /* the current file has a digest under way */
	struct kept *file;
	size_t files, files_cap;
	uint64_t first;
	char digest_text[PM_DIGEST_TEXT]; /* result of pm_filecontent_digest */
	struct pm_coder *coder;

	struct pm_decoder decoder; /* the caller's */
};

static int store_piece(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct pm_filecontent *k = ctx;

	return pm_blobs_put(&k->store, p, n, e) ? 0 : -1;
}

/* Returns 0 or -1 with e filled. */
static int end_file(struct pm_filecontent *k, struct pm_err *e)
{
	char text[PM_DIGEST_TEXT];
	struct kept *f;

	if (k->files == k->files_cap) {
		size_t cap = k->files_cap ? 2 * k->files_cap : 16;
		void *p = realloc(k->file, cap * sizeof k->file[0]);

		if (!p)
			return pm_err(e, "out of memory");
		k->file = p;
		k->files_cap = cap;
	}
	f = &k->file[k->files++];
	f->first = k->first;
	f->digest = pm_blobs_end(&k->store);
	pm_digest_text(&k->digest, text);
	k->begun = false;
	return store_piece(k, text, sizeof text, e);
}

static int process_chunk(void *ctx, void *item, struct pm_err *e)
{
	struct pm_filecontent *k = ctx;
	const struct chunk *c = item;
	size_t at = 0;

	for (size_t i = 0; i < c->parts; i++) {
		const struct part *p = &c->part[i];

		if (!k->begun) {
			pm_digest_init(&k->digest);
			k->first = pm_blobs_end(&k->store);
			k->begun = true;
		}
		pm_digest_add(&k->digest, c->data + at, p->end - at);
		if (pm_coder_feed(k->coder, c->data + at, p->end - at, p->last, e) < 0 ||
		    (p->last && end_file(k, e) < 0))
			return -1;
		at = p->end;
	}
	return 0;
}

struct pm_filecontent *pm_filecontent_new(struct pm_err *e)
{
	struct pm_filecontent *k = calloc(1, sizeof *k);

	/* Data is not zeroed: it is a megabyte. */
	if (!k || !(k->chunk = malloc(CHUNKS * sizeof k->chunk[0])) ||
	    !(k->queue = pm_workqueue_new(process_chunk, NULL, k, CHUNKS - 1)) ||
	    !(k->coder = pm_coder_new(store_piece, k, e))) {
		pm_filecontent_free(k);
		pm_err(e, "out of memory");
		return NULL;
	}
	k->chunk[0].fill = k->chunk[0].parts = 0;
	pm_blobs_init(&k->store);
	return k;
}

void pm_filecontent_free(struct pm_filecontent *k)
{
	if (!k)
		return;
	pm_workqueue_free(k->queue);
	pm_coder_free(k->coder);
	pm_decoder_end(&k->decoder);
	pm_blobs_free(&k->store);
	free(k->file);
	free(k->chunk);
	free(k);
}

/* Empty the chunk after the one given, and fill that from now on. */
static void next_chunk(struct pm_filecontent *k)
{
	k->filling = (k->filling + 1) % CHUNKS;
	k->chunk[k->filling].fill = 0;
	k->chunk[k->filling].parts = 0;
}

/* Hand the chunk being filled to the thread. pm_filecontent_wait reports a failure. */
static void hand_over(struct pm_filecontent *k)
{
	pm_workqueue_give(k->queue, &k->chunk[k->filling], NULL);
	next_chunk(k);
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

	k->bytes += n;
	while (n > 0) {
		struct chunk *c = &k->chunk[k->filling];
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
	struct chunk *c = &k->chunk[k->filling];

	extend_part(c, true);
	if (c->parts == PARTS)
		hand_over(k);
	return k->ended++;
}

uint64_t pm_filecontent_bytes(const struct pm_filecontent *k)
{
	return k->bytes;
}

int pm_filecontent_wait(struct pm_filecontent *k, struct pm_err *e)
{
	if (k->chunk[k->filling].parts)
		hand_over(k);
	return pm_workqueue_wait(k->queue, e);
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

void pm_filecontent_forget(struct pm_filecontent *k, uint32_t file)
{
	pm_blobs_forget(&k->store, k->file[file].first, k->file[file].digest);
}

struct pm_decoder *pm_filecontent_decoder(struct pm_filecontent *k)
{
	return &k->decoder;
}
