/* Byte strings by offset: in memory while few, in an unlinked file once many. */
#include "config.h"

#include "submit/memory/blobs.h"

#include "submit/memory/filemem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
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

/* A background write into the file while the caller fills the next buffer. Until it is joined, the
 * thread owns this struct, and no other code uses the descriptor. */
struct pm_store_writer {
	pthread_t thread;
	int fd;
	char *p;
	size_t n, cap;
	uint64_t at;
	int failure; /* errno, or 0 */
};

void pm_blobs_init(struct pm_blobs *s)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->base = PM_BLOBS_FIRST;
}

static void *write_all(void *arg)
{
	struct pm_store_writer *w = arg;
	size_t done = 0;

	while (done < w->n && w->failure == 0) {
		ssize_t n = pwrite(w->fd, w->p + done, w->n - done, (off_t)(w->at + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			w->failure = n < 0 ? errno : ENOSPC;
	}
	return NULL;
}

/* Wait for the background write. *spare gets its buffer, of *cap bytes; with `spare` NULL the
 * buffer is freed. Returns 0 or -1 with e filled. */
static int end_write(struct pm_blobs *s, char **spare, size_t *cap, struct pm_err *e)
{
	struct pm_store_writer *w = s->writer;
	int failure;

	if (!w)
		return s->sick ? pm_err(e, INCOMPLETE) : 0;
	pthread_join(w->thread, NULL);
	failure = w->failure;
	if (spare) {
		*spare = w->p;
		*cap = w->cap;
	} else {
		free(w->p);
	}
	free(w);
	s->writer = NULL;
	if (failure == 0)
		return 0;
	s->sick = 1;
	errno = failure;
	return pm_err(e, "write temporary file: %m");
}

void pm_blobs_free(struct pm_blobs *s)
{
	end_write(s, NULL, NULL, NULL);
	free(s->buffer);
	free(s->window);
	pm_filemem_free(s->map);
	/* An all-zero store has fd 0 but no file: descriptor 0 belongs to the process. */
	if (s->base && s->fd >= 0)
		close(s->fd);
	pm_blobs_init(s);
}

/* Write w's bytes in a thread, or right here if no thread can be created. */
static void begin_write(struct pm_blobs *s, struct pm_store_writer *w)
{
	sigset_t all, before;
	int rc;

	/* Leave signals to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&w->thread, NULL, write_all, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		s->writer = w;
	else
		write_all(w);
}

/* Start writing the buffer out and continue with the previous write's buffer. Returns 0 or -1 with
 * e filled. */
static int write_out(struct pm_blobs *s, struct pm_err *e)
{
	struct pm_store_writer *w;
	char *spare = NULL;
	size_t cap = 0;
	int failure = 0;

	if (s->fd < 0)
		s->fd = pm_filemem_file();
	if (s->fd < 0)
		return pm_err(e, "temporary file: %m");
	if (end_write(s, &spare, &cap, e) < 0) {
		free(spare);
		return -1;
	}
	w = malloc(sizeof *w);
	if (!w) {
		free(spare);
		return pm_err(e, "out of memory");
	}
	*w = (struct pm_store_writer){
		.fd = s->fd, .p = s->buffer, .n = s->fill, .cap = s->cap, .at = s->base
	};
	begin_write(s, w);
	s->base += s->fill;
	s->fill = 0;
	s->buffer = spare;
	s->cap = cap;
	if (s->writer)
		return 0;
	failure = w->failure;
	free(w->p);
	free(w);
	errno = failure;
	return failure ? pm_err(e, "write temporary file: %m") : 0;
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
		if (end_write(s, NULL, NULL, e) < 0 || map_file(s, offset + 1, e) < 0)
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
		if (end_write(s, NULL, NULL, e) < 0 || move_window(s, offset, e) < 0)
			return -1;
		if (in_window(s, offset, item))
			return 0;
	}
	/* The item is still in the buffer, or longer than the window. */
	return pm_blobs_get(s, offset, item, e);
}

uint64_t pm_blobs_next(uint64_t offset, struct pm_str item)
{
	return offset + sizeof(length_t) + item.n;
}

uint64_t pm_blobs_end(const struct pm_blobs *s)
{
	return s->base + s->fill;
}
