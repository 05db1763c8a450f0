/* Numbers in files of devices. */
#include "config.h"

#include "sampler/kernel/devicefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- texts ------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

bool pm_devicefile_is_end(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p == end;
}

/* The value of a digit, or 16 or more where it is none. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

int pm_devicefile_take(const char **p, const char *end, int64_t *value)
{
	const char *s = *p;
	const bool negative = s < end && *s == '-';
	unsigned base = 10;
	const char *digits;
	int64_t v = 0;

	s += negative;
	if (end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x') {
		base = 16;
		s += 2;
	}
	for (digits = s; s < end && digit_of(*s) < base; s++) {
		const int digit = (int)digit_of(*s);

		/* Negative from the first digit on: the least number has no positive. */
		if (__builtin_mul_overflow(v, (int)base, &v) ||
		    __builtin_add_overflow(v, negative ? -digit : digit, &v))
			return -1;
	}
	if (s == digits)
		return -1;
	*p = s;
	*value = v;
	return 0;
}

int pm_devicefile_parse(const char *text, size_t n, const char *unit, int64_t *value)
{
	const char *p = text, *end = text + n;
	const size_t unit_n = strlen(unit);
	int64_t v;

	errno = ENODATA;
	if (pm_devicefile_is_end(p, end) || (n >= 3 && strncasecmp(p, "N/A", 3) == 0))
		return -1;
	errno = EBADMSG;
	if (pm_devicefile_take(&p, end, &v) < 0)
		return -1;
	while (unit_n && p < end && *p == ' ')
		p++;
	if (unit_n && (size_t)(end - p) >= unit_n && memcmp(p, unit, unit_n) == 0)
		p += unit_n;
	if (!pm_devicefile_is_end(p, end))
		return -1;
	*value = v;
	return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int pm_devicefile_open(struct pm_devicefile *f, const char *root, const char *relative)
{
	*f = (struct pm_devicefile){ .fd = -1, .error = ENOENT, .keep = root[0] == '\0' };
	if (asprintf(&f->path, "%s/%s", root, relative) < 0) {
		f->path = NULL;
		errno = ENOMEM;
		return -1;
	}
	if (pm_devicefile_look(f))
		return 0;
	errno = f->error;
	return -1;
}

/* The file cannot be read before the next look. */
static void lose(struct pm_devicefile *f, int error)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->error = error;
}

bool pm_devicefile_look(struct pm_devicefile *f)
{
	int fd;

	if (!f->path || !f->error)
		return f->path != NULL;
	fd = open_path(f->path);
	if (fd < 0) {
		f->error = errno;
		return false;
	}
	f->error = 0;
	if (f->keep)
		f->fd = fd;
	else
		close(fd);
	return true;
}

ssize_t pm_devicefile_text(struct pm_devicefile *f, char *text, size_t size)
{
	int fd = f->path ? f->fd : -1, saved;
	ssize_t n;

	if (!f->path || f->error) {
		errno = f->path ? f->error : ENOENT;
		return -1;
	}
	if (fd < 0)
		fd = open_path(f->path);
	n = fd < 0 ? -1 : pread(fd, text, size, 0);
	saved = errno;
	if (fd >= 0 && f->fd < 0)
		close(fd);
	if (n < 0 && (saved == ENODEV || saved == ENOENT || saved == ENXIO))
		lose(f, saved);
	errno = n < 0 ? saved : EFBIG;
	return n == (ssize_t)size ? -1 : n;
}

int pm_devicefile_number(struct pm_devicefile *f, const char *unit, int64_t *value)
{
	char text[PM_DEVICEFILE_MAX + 1];
	const ssize_t n = pm_devicefile_text(f, text, sizeof text);

	if (n < 0) {
		if (errno == EFBIG)
			errno = EBADMSG;
		return -1;
	}
	return pm_devicefile_parse(text, (size_t)n, unit, value);
}

void pm_devicefile_close(struct pm_devicefile *f)
{
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = (struct pm_devicefile){ .fd = -1 };
}

ssize_t pm_devicefile_name(const char *root, const char *relative, char *name, size_t size)
{
	char text[PM_DEVICEFILE_MAX + 1];
	struct pm_devicefile f;
	ssize_t n = pm_devicefile_open(&f, root, relative);
	int saved;

	if (n == 0)
		n = pm_devicefile_text(&f, text, sizeof text - 1);
	saved = errno;
	pm_devicefile_close(&f);
	errno = saved;
	if (n < 0)
		return -1;
	text[n] = '\0';
	n = (ssize_t)strcspn(text, "\n");
	while (n > 0 && is_blank(text[n - 1]))
		n--;
	errno = n ? EFBIG : ENODATA;
	if (n == 0 || (size_t)n >= size)
		return -1;
	memcpy(name, text, (size_t)n);
	name[n] = '\0';
	return n;
}
