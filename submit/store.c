/* Byte strings by offset, in memory while few and in an unlinked file when many. */
#include "config.h"

#include "submit/store.h"

#include "submit/big.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every item begins with its length. */
typedef uint32_t length_t;

void pm_store_init(struct pm_store *s)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->base = PM_STORE_FIRST;
}

void pm_store_free(struct pm_store *s)
{
	free(s->buffer);
	pm_big_free(s->map);
	if (s->fd >= 0)
		close(s->fd);
	pm_store_init(s);
}

static int write_out(struct pm_store *s, struct pm_err *e)
{
	size_t done = 0;

	if (s->fd < 0)
		s->fd = pm_big_file();
	if (s->fd < 0)
		return pm_err(e, "temporary file: %m");
	while (done < s->fill) {
		ssize_t n =
			pwrite(s->fd, s->buffer + done, s->fill - done, (off_t)(s->base + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pm_err(e, "write temporary file: %m");
		done += (size_t)n;
	}
	s->base += s->fill;
	s->fill = 0;
	return 0;
}

/* Make room for `n` more bytes in the buffer. */
static int make_room(struct pm_store *s, size_t n, struct pm_err *e)
{
	size_t cap = s->cap ? s->cap : 65536;
	char *p;

	if (n <= s->cap - s->fill)
		return 0;
	while (cap < PM_STORE_BUFFER && cap - s->fill < n)
		cap *= 2;
	if (cap > s->cap) {
		p = realloc(s->buffer, cap);
		if (!p)
			return pm_err(e, "out of memory");
		s->buffer = p;
		s->cap = cap;
	}
	return n <= s->cap - s->fill ? 0 : write_out(s, e);
}

uint64_t pm_store_put(struct pm_store *s, const void *p, size_t n, struct pm_err *e)
{
	length_t length = (length_t)n;
	uint64_t offset;

	if (n > PM_STORE_BUFFER - sizeof length) {
		pm_err(e, "item of %zu bytes is too long", n);
		return 0;
	}
	if (s->sick) {
		pm_err(e, "temporary data is incomplete after an earlier failure");
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

/* See that the first n bytes of the file can be read in memory. */
static int map_file(struct pm_store *s, uint64_t n, struct pm_err *e)
{
	void *map;

	if (n <= s->mapped)
		return 0;
	map = pm_big_map(s->map, s->fd, (size_t)s->base);
	if (!map)
		return pm_err(e, "read temporary file: %m");
	s->map = map;
	s->mapped = s->base;
	return 0;
}

int pm_store_get(struct pm_store *s, uint64_t offset, struct pm_str *item, struct pm_err *e)
{
	length_t length;
	const char *at;

	if (offset >= s->base) {
		at = s->buffer + (offset - s->base);
	} else {
		/* An item is never in both. */
		if (map_file(s, offset + 1, e) < 0)
			return -1;
		pm_big_trim();
		at = s->map + offset;
	}
	memcpy(&length, at, sizeof length);
	item->p = at + sizeof length;
	item->n = length;
	return 0;
}

uint64_t pm_store_next(uint64_t offset, struct pm_str item)
{
	return offset + sizeof(length_t) + item.n;
}

uint64_t pm_store_end(const struct pm_store *s)
{
	return s->base + s->fill;
}
