/* Byte strings by offset: in memory while few, in an unlinked file once many. */
#include "config.h"

#include "submit/memory/blobs.h"

#include "common/workqueue.h"
#include "submit/memory/filemem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size at which the buffer is written out; a single longer item may exceed it. */
#define BUFFER ((size_t)2 << 20)

/* Bytes that pm_blobs_walk reads at once. */
#define WINDOW ((size_t)512 << 10)

/* Error text once a write failed: a map must not be read beyond the end of its file. */
#define INCOMPLETE "temporary data is incomplete after an earlier failure"

/* Every item begins with its length. */
typedef uint32_t length_t;

/* A background write into the file while the caller fills the next buffer. Until it is waited for,
 * the thread owns p to at, and no other code uses the descriptor. */
struct pm_store_writer {
	struct pm_workqueue *queue;
	int fd;
	char *p;
	size_t n, cap;
	uint64_t at;
};

void pm_blobs_init(struct pm_blobs *s)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->base = PM_BLOBS_FIRST;
}

static int write_all(void *ctx, void *item, struct pm_err *e)
{
	const struct pm_store_writer *w = item;
	size_t done = 0;

	(void)ctx;
	while (done < w->n) {
		ssize_t n = pwrite(w->fd, w->p + done, w->n - done, (off_t)(w->at + done));

		if (n == 0)
			errno = ENOSPC;
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return pm_err(e, "write temporary file: %m");
	}
	return 0;
}

/* Wait for the background write. Returns 0 or -1 with e filled. */
static int end_write(struct pm_blobs *s, struct pm_err *e)
{
	if (s->sick)
		return pm_err(e, INCOMPLETE);
	s->sick = s->writer && pm_workqueue_wait(s->writer->queue, e) < 0;
	return s->sick ? -1 : 0;
}

static void free_writer(struct pm_blobs *s)
{
	if (s->writer) {
		pm_workqueue_free(s->writer->queue);
		free(s->writer->p);
	}
	free(s->writer);
	s->writer = NULL;
}

/* Before the file is read: wait for the background write, and end its thread. Returns 0 or -1 with
 * e filled. */
static int end_writing(struct pm_blobs *s, struct pm_err *e)
{
	int rc = end_write(s, e);

	free_writer(s);
	return rc;
}

void pm_blobs_free(struct pm_blobs *s)
{
	free_writer(s);
	free(s->buffer);
	free(s->window);
	pm_filemem_free(s->map);
	/* An all-zero store has fd 0 but no file: descriptor 0 belongs to the process. */
	if (s->base && s->fd >= 0)
		close(s->fd);
	pm_blobs_init(s);
}

/* Create the temporary file and its writer where missing. Returns 0 or -1 with e filled. */
static int begin_writing(struct pm_blobs *s, struct pm_err *e)
{
	if (s->fd < 0 && (s->fd = pm_filemem_file()) < 0)
		return pm_err(e, "temporary file: %m");
	if (s->writer)
		return 0;
	s->writer = calloc(1, sizeof *s->writer);
	if (!s->writer || !(s->writer->queue = pm_workqueue_new(write_all, NULL, NULL, 1)))
		return pm_err(e, "out of memory");
	s->writer->fd = s->fd;
	return 0;
}

/* Start writing the buffer out and continue with the previous write's buffer. Returns 0 or -1 with
 * e filled. */
static int write_out(struct pm_blobs *s, struct pm_err *e)
{
	struct pm_store_writer *w;
	char *spare;
	size_t cap;

	if (begin_writing(s, e) < 0 || end_write(s, e) < 0)
		return -1;
	w = s->writer;
	spare = w->p;
	cap = w->cap;
	w->p = s->buffer;
	w->n = s->fill;
	w->cap = s->cap;
	w->at = s->base;
	s->base += s->fill;
	s->fill = 0;
	s->buffer = spare;
	s->cap = cap;
	return pm_workqueue_give(w->queue, w, e);
}

/* Make room for `n` more bytes in the buffer. Returns 0 or -1 with e filled. */
static int make_room(struct pm_blobs *s, size_t n, struct pm_err *e)
{
	size_t cap;
	char *p;

	if (n <= s->cap - s->fill)
		return 0;
	if (s->fill && s->fill + n > BUFFER && write_out(s, e) < 0)
		return -1;
	cap = s->cap ? s->cap : 65536;
	while (cap < s->fill + n)
		cap *= 2;
	if (cap <= s->cap)
		return 0;
	p = realloc(s->buffer, cap);
	if (!p)
		return pm_err(e, "out of memory");
	s->buffer = p;
	s->cap = cap;
	return 0;
}

uint64_t pm_blobs_put(struct pm_blobs *s, const void *p, size_t n, struct pm_err *e)
{
	length_t length = (length_t)n;
	uint64_t offset;

	if (n > PM_BLOBS_BUFFER - sizeof length) {
		pm_err(e, "item of %zu bytes is too long", n);
		return 0;
	}
	if (s->sick) {
		pm_err(e, INCOMPLETE);
		return 0;
	}
	if (make_room(s, sizeof length + n, e) < 0) {
		s->sick = 1;
		return 0;
	}
	offset = s->base + s->fill;
	memcpy(s->buffer + s->fill, &length, sizeof length);
	if (n)
		memcpy(s->buffer + s->fill + sizeof length, p, n);
	s->fill += sizeof length + n;
	return offset;
}

/* Map at least the first n bytes of the file. Returns 0 or -1 with e filled. */
static int map_file(struct pm_blobs *s, uint64_t n, struct pm_err *e)
{
	void *map;

	if (n <= s->mapped)
		return 0;
	map = pm_filemem_map(s->map, s->fd, (size_t)s->base);
	if (!map)
		return pm_err(e, "read temporary file: %m");
	s->map = map;
	s->mapped = s->base;
	return 0;
}

int pm_blobs_get(struct pm_blobs *s, uint64_t offset, struct pm_str *item, struct pm_err *e)
{
	length_t length;
	const char *at;

	if (offset >= s->base) {
		at = s->buffer + (offset - s->base);
	} else {
		/* An item never straddles file and buffer. */
		if (end_writing(s, e) < 0 || map_file(s, offset + 1, e) < 0)
			return -1;
		pm_filemem_trim();
		at = s->map + offset;
	}
	memcpy(&length, at, sizeof length);
	item->p = at + sizeof length;
	item->n = length;
	return 0;
}

/* Read the file from `offset` into the window, as much as fits. Returns 0 or -1 with e filled. */
static int move_window(struct pm_blobs *s, uint64_t offset, struct pm_err *e)
{
	uint64_t left = s->base - offset;
	size_t wanted = left < WINDOW ? (size_t)left : WINDOW;

	if (!s->window && !(s->window = malloc(WINDOW)))
		return pm_err(e, "out of memory");
	s->window_at = offset;
	s->window_n = 0;
	while (s->window_n < wanted) {
		ssize_t n = pread(s->fd, s->window + s->window_n, wanted - s->window_n,
				  (off_t)(offset + s->window_n));

		if (n == 0)
			errno = EIO;
		if (n > 0)
			s->window_n += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return pm_err(e, "read temporary file: %m");
	}
	return 0;
}

/* Find the item at an offset. Returns 1 if the window holds the whole item, else 0. */
static int in_window(const struct pm_blobs *s, uint64_t offset, struct pm_str *item)
{
	uint64_t at = offset - s->window_at;
	length_t length;

	if (offset < s->window_at || at > s->window_n || s->window_n - at < sizeof length)
		return 0;
	memcpy(&length, s->window + at, sizeof length);
	item->p = s->window + at + sizeof length;
	item->n = length;
	return length <= s->window_n - at - sizeof length;
}

int pm_blobs_walk(struct pm_blobs *s, uint64_t offset, struct pm_str *item, struct pm_err *e)
{
	if (offset < s->base && in_window(s, offset, item))
		return 0;
	if (offset < s->base) {
		if (end_writing(s, e) < 0 || move_window(s, offset, e) < 0)
			return -1;
		if (in_window(s, offset, item))
			return 0;
	}
	/* The item is still in the buffer, or longer than the window. */
	return pm_blobs_get(s, offset, item, e);
}

void pm_blobs_forget(struct pm_blobs *s, uint64_t from, uint64_t to)
{
	struct pm_err ignored;

	to = to < s->base ? to : s->base;
	/* A failed write is reported by whoever needs what it should have written. */
	if (s->fd < 0 || from >= to ||
	    (s->writer && pm_workqueue_wait(s->writer->queue, &ignored) < 0))
		return;
	/* Space that cannot be given back is freed with the store. */
	(void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(to - from));
}

uint64_t pm_blobs_next(uint64_t offset, struct pm_str item)
{
	return offset + sizeof(length_t) + item.n;
}

uint64_t pm_blobs_end(const struct pm_blobs *s)
{
	return s->base + s->fill;
}
