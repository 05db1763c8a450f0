/* Byte strings by offset, in memory while few and in an unlinked file when many. */
#include "config.h"

#include "submit/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every item begins with its length. */
typedef uint32_t length_t;

/* Bytes read at once from the file. */
#define WINDOW ((size_t)4096)

void pm_store_init(struct pm_store *s)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->base = PM_STORE_FIRST;
}

void pm_store_free(struct pm_store *s)
{
	free(s->buffer);
	if (s->fd >= 0)
		close(s->fd);
	pm_store_init(s);
}

/* An unlinked file of our own. Returns its descriptor or -1. */
static int temporary(void)
{
	const char *dir[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof dir / sizeof dir[0]; i++) {
		char name[4096];
		size_t n = dir[i] ? strlen(dir[i]) : 0;
		int fd;

		if (n == 0 || n > sizeof name - 32)
			continue;
		fd = open(dir[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		memcpy(name, dir[i], n);
		memcpy(name + n, "/perfmon-XXXXXX", 16);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
	}
	return -1;
}

static int write_out(struct pm_store *s, struct pm_err *e)
{
	size_t done = 0;

	if (s->fd < 0)
		s->fd = temporary();
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

/* Read up to `n` bytes at an offset of the file. Returns how many, or -1. */
static ssize_t read_at(int fd, char *p, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, p + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int window_size(struct pm_store_item *item, size_t n, struct pm_err *e)
{
	char *p;

	if (n <= item->cap)
		return 0;
	p = realloc(item->window, n);
	if (!p)
		return pm_err(e, "out of memory");
	item->window = p;
	item->cap = n;
	return 0;
}

int pm_store_get(struct pm_store *s, uint64_t offset, struct pm_store_item *item, struct pm_err *e)
{
	length_t length;
	ssize_t got;

	if (offset >= s->base) {
		const char *at = s->buffer + (offset - s->base);

		memcpy(&length, at, sizeof length);
		item->p = at + sizeof length;
		item->n = length;
		return 0;
	}
	if (window_size(item, WINDOW, e) < 0)
		return -1;
	got = read_at(s->fd, item->window, WINDOW, offset);
	if (got < (ssize_t)sizeof length)
		return pm_err(e, "read temporary file: %m");
	memcpy(&length, item->window, sizeof length);
	if ((size_t)got < sizeof length + length) {
		size_t whole = sizeof length + length;

		if (window_size(item, whole, e) < 0)
			return -1;
		if (read_at(s->fd, item->window, whole, offset) != (ssize_t)whole)
			return pm_err(e, "read temporary file: %m");
	}
	item->p = item->window + sizeof length;
	item->n = length;
	return 0;
}

uint64_t pm_store_next(uint64_t offset, const struct pm_store_item *item)
{
	return offset + sizeof(length_t) + item->n;
}

uint64_t pm_store_end(const struct pm_store *s)
{
	return s->base + s->fill;
}

void pm_store_item_free(struct pm_store_item *item)
{
	free(item->window);
	memset(item, 0, sizeof *item);
}
