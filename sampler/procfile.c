/* Read and parse files of /proc. */
#include "config.h"

#include "sampler/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY 4096
#define MAX_CAPACITY   (16 << 20)

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
	f->fd = f->text ? open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
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
	if (f->fd >= 0)
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
		/* Only a read of nothing is the end: the kernel hands long files out in pieces. */
		if (got == 0)
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
			/* From the start: two reads of a kernel file are two snapshots. */
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
		fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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

	while (s < end && *s >= '0' && *s <= '9') {
		int digit = *s++ - '0';

		if (v > (INT64_MAX - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	if (s == *p || s == end)
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

/* Where field `number` begins, 3 being at p and end the end; NULL where it does not. */
static const char *skip_fields(const char *p, const char *end, int number)
{
	for (int i = 3; p && i < number; i++) {
		p = memchr(p, ' ', (size_t)(end - p));
		p = p && p + 1 < end ? p + 1 : NULL;
	}
	return p;
}

/* Where field 3 of a stat line begins, behind the command's name; NULL where it does not. */
static const char *field_3(const char *text, size_t n)
{
	const char *p = memrchr(text, ')', n);

	return p && text + n - p >= 5 && p[1] == ' ' && p[3] == ' ' ? p + 2 : NULL;
}

int pm_procfile_is_thread(const char *text, size_t n)
{
	const char *end = text + n, *p = skip_fields(field_3(text, n), end, 38);

	/* The field must be whole: a blank follows. */
	if (!p || end - p < 3 || !memchr(p, ' ', (size_t)(end - p)))
		return -1;
	return memcmp(p, "-1 ", 3) == 0;
}

int pm_procfile_stat(struct pm_procstat *s, const char *text, size_t n)
{
	static const struct {
		unsigned char number; /* rising */
		unsigned char offset;
	} fields[] = {
		{ 14, offsetof(struct pm_procstat, utime) },
		{ 15, offsetof(struct pm_procstat, stime) },
		{ 16, offsetof(struct pm_procstat, cutime) },
		{ 17, offsetof(struct pm_procstat, cstime) },
		{ 20, offsetof(struct pm_procstat, threads) },
		{ 22, offsetof(struct pm_procstat, starttime) },
	};
	const char *end = text + n, *p = field_3(text, n);
	int64_t ppid;
	int at = 4;

	if (!p)
		return -1;
	s->state = p[0];
	p += 2;
	if (pm_procfile_number(&p, end, &ppid) < 0 || ppid > INT32_MAX || *p != ' ')
		return -1;
	s->ppid = (pid_t)ppid;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		/* p is at the blank behind field `at`. */
		for (; at < fields[i].number; at++) {
			while (p < end && *p != ' ')
				p++;
			if (p == end)
				return -1;
			p++;
		}
		if (pm_procfile_number(&p, end, (int64_t *)(void *)((char *)s + fields[i].offset)) <
			    0 ||
		    *p != ' ')
			return -1;
	}
	return 0;
}
