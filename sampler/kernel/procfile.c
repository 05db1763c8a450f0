/* Read and parse files of /proc. */
#include "config.h"

#include "sampler/kernel/procfile.h"

#include "sampler/kernel/devicefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY 4096

/*
 * A read of a kernel file that returns no more than this has reached its end. The kernel returns up
 * to a page per read and stops early only before a line that does not fit: that line would have
 * 3 kB or more here, and no file has one after lines this short.
 */
#define SURELY_WHOLE 1024

#define MAX_CAPACITY (16 << 20)

int pm_procfile_open(struct pm_procfile *f, const char *root, const char *relative)
{
	memset(f, 0, sizeof *f);
	f->fd = -1;
	f->keep = root[0] == '\0';
	if (asprintf(&f->path, "%s/%s", root, relative) < 0) {
		f->path = NULL;
		errno = ENOMEM;
		return -1;
	}
	f->text = malloc(FIRST_CAPACITY);
	f->capacity = FIRST_CAPACITY;
	f->fd = f->text ? pm_devicefile_descriptor(f->path) : -1;
	if (f->fd < 0) {
		int saved = errno;

		pm_procfile_close(f);
		errno = saved;
		return -1;
	}
	if (!f->keep) {
		close(f->fd);
		f->fd = -1;
	}
	return 0;
}

void pm_procfile_close(struct pm_procfile *f)
{
	/* Descriptor 0 of a zeroed one is not the file's. */
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->text);
	memset(f, 0, sizeof *f);
	f->fd = -1;
}

/* Read fd from its beginning into f->text. Returns the length or -1. */
static ssize_t read_all(struct pm_procfile *f, int fd)
{
	size_t n = 0;

	for (;;) {
		ssize_t got = pread(fd, f->text + n, f->capacity - 1 - n, (off_t)n);

		if (got < 0)
			return -1;
		n += (size_t)got;
		/* A long file ends only at an empty read: the kernel hands it out in pieces. */
		if (got == 0 || (f->keep && n <= SURELY_WHOLE))
			break;
		if (n == f->capacity - 1) {
			char *more;

			if (f->capacity >= MAX_CAPACITY) {
				errno = EFBIG;
				return -1;
			}
			more = realloc(f->text, 4 * f->capacity);
			if (!more)
				return -1;
			f->text = more;
			f->capacity *= 4;
			/* Read from the start: two reads of a kernel file are two snapshots. */
			n = 0;
		}
	}
	f->text[n] = '\0';
	return (ssize_t)n;
}

ssize_t pm_procfile_read(struct pm_procfile *f, const char **text)
{
	int fd = f->fd;
	ssize_t n;

	if (fd < 0)
		fd = pm_devicefile_descriptor(f->path);
	if (fd < 0)
		return -1;
	n = read_all(f, fd);
	if (f->keep) {
		f->fd = fd;
	} else {
		int saved = errno;

		close(fd);
		errno = saved;
	}
	*text = f->text;
	return n;
}

int pm_procfile_number(const char **p, const char *end, int64_t *value)
{
	const char *s = *p;
	int64_t v = 0;

	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return -1;
	if (s == *p || s == end)
		return -1;
	*p = s;
	*value = v;
	return 0;
}

int pm_procfile_decimal(const char **p, const char *end, int digits, int64_t *value)
{
	const char *s = *p;
	int64_t v;

	if (pm_procfile_number(&s, end, &v) < 0)
		return -1;
	if (*s == '.') {
		s++;
		if (s == end || *s < '0' || *s > '9')
			return -1;
	}
	for (int i = 0; i < digits; i++) {
		int digit = s < end && *s >= '0' && *s <= '9' ? *s++ - '0' : 0;

		if (v > (INT64_MAX - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	while (s < end && *s >= '0' && *s <= '9')
		s++;
	if (s == end)
		return -1;
	*p = s;
	*value = v;
	return 0;
}

int pm_procfile_key(const char *text, size_t n, const char *key, const char *unit, int64_t *value)
{
	const char *end = text + n;
	size_t key_n = strlen(key), unit_n = strlen(unit);

	for (const char *p = text, *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		if ((size_t)(newline - p) < key_n || memcmp(p, key, key_n) != 0)
			continue;
		p += key_n;
		while (p < newline && (*p == ' ' || *p == '\t'))
			p++;
		errno = EBADMSG;
		if (pm_procfile_number(&p, end, value) < 0)
			return -1;
		if (unit_n && *p++ != ' ')
			return -1;
		if ((size_t)(end - p) <= unit_n || memcmp(p, unit, unit_n) != 0 ||
		    p[unit_n] != '\n')
			return -1;
		return 0;
	}
	errno = ENOENT;
	return -1;
}
