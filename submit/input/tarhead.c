/* Headers of tar archives: ustar (POSIX.1-1988), pax (POSIX.1-2001) and GNU. */
#include "config.h"

#include "submit/input/tarhead.h"

#include "common/safe/tsv.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512

/* Offsets and lengths of the fields (POSIX.1, pax, "ustar Interchange Format"). */
enum { NAME = 0, NAME_LEN = 100, SIZE = 124, SIZE_LEN = 12, SUM = 148, SUM_LEN = 8, TYPE = 156 };
enum { MAGIC = 257, PREFIX = 345, PREFIX_LEN = 155 };

int pm_tar_is_zero(const char *block)
{
	return block[0] == '\0' && memcmp(block, block + 1, BLOCK - 1) == 0;
}

int pm_tar_is_marked(const char *block)
{
	return memcmp(block + MAGIC, "ustar", 5) == 0;
}

/* Octal digits between blanks and NULs, or GNU's base 256. Returns 0 or -1. */
static int parse_number(const char *p, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;

	if ((unsigned char)p[0] == 0x80) {
		for (i = 1; i < n; i++) {
			if (v >> 55)
				return -1;
			v = v << 8 | (unsigned char)p[i];
		}
		*out = v;
		return 0;
	}
	while (i < n && p[i] == ' ')
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(p[i] - '0');
	for (; i < n; i++)
		if (p[i] != ' ' && p[i] != '\0')
			return -1;
	*out = v;
	return 0;
}

int pm_tar_head(struct pm_tar_head *h, const char *block)
{
	size_t len = strnlen(block + NAME, NAME_LEN), before = 0;
	uint64_t sum;

	/* GNU's magic ends in blanks, and its headers have other fields in place of ustar's prefix.
	 */
	if (memcmp(block + MAGIC, "ustar", 6) == 0)
		before = strnlen(block + PREFIX, PREFIX_LEN);
	memcpy(h->name, block + PREFIX, before);
	if (before)
		h->name[before++] = '/';
	memcpy(h->name + before, block + NAME, len);
	h->name[before + len] = '\0';
	h->type = block[TYPE];
	if (h->type == '\0' && len > 0 && block[NAME + len - 1] == '/')
		h->type = '5';
	else if (h->type == '\0' || h->type == '7')
		h->type = '0';
	if (parse_number(block + SIZE, SIZE_LEN, &h->size) < 0 ||
	    parse_number(block + SUM, SUM_LEN, &sum) < 0)
		return -1;
	h->sum = (int)sum;
	return 0;
}

int pm_tar_long_name(struct pm_tar_member *m, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -1;
	free(m->path);
	m->path = copy;
	return 0;
}

/* Parse a record's "key=value\n", n bytes at p. Returns 0 or -1. */
static int pax_record(struct pm_tar_member *m, const char *p, size_t n)
{
	const char *equals = memchr(p, '=', n), *end = p + n - 1;
	size_t key, len;
	int64_t size;
	char *copy;

	if (!equals || *end != '\n')
		return -1;
	key = (size_t)(equals - p);
	len = (size_t)(end - equals - 1);
	if (key == 4 && memcmp(p, "path", 4) == 0) {
		if (memchr(equals + 1, '\0', len))
			return -1;
		copy = strndup(equals + 1, len);
		if (!copy)
			return -1;
		free(m->path);
		m->path = copy;
	} else if (key == 4 && memcmp(p, "size", 4) == 0) {
		if (pm_tsv_number(equals + 1, len, &size) < 0 || size < 0)
			return -1;
		m->size = (uint64_t)size;
		m->has_size = 1;
	} else if (key > 11 && memcmp(p, "GNU.sparse.", 11) == 0) {
		m->sparse = 1;
	}
	return 0;
}

int pm_tar_pax(struct pm_tar_member *m, const char *text, size_t n)
{
	while (n > 0) {
		size_t digits = 0, len = 0;

		for (; digits < n && digits < 9 && text[digits] >= '0' && text[digits] <= '9';
		     digits++)
			len = len * 10 + (size_t)(text[digits] - '0');
		if (digits == 0 || digits >= n || text[digits] != ' ' || len > n ||
		    len < digits + 3)
			return -1;
		if (pax_record(m, text + digits + 1, len - digits - 1) < 0)
			return -1;
		text += len;
		n -= len;
	}
	return 0;
}

int pm_tar_member(struct pm_tar_member *m, const struct pm_tar_head *h)
{
	if (!m->path && !(m->path = strdup(h->name)))
		return -1;
	if (!m->has_size)
		m->size = h->size;
	/* Links, devices and directories have no data, whatever their size says. */
	if (h->type >= '1' && h->type <= '6')
		m->size = 0;
	return 0;
}

/* Whether a component of the path is "..". */
static int has_dotdot(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/")) {
		p += strspn(p, "/");
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
			return 1;
	}
	return 0;
}

const char *pm_tar_refuse(const struct pm_tar_member *m, const struct pm_tar_head *h)
{
	if (!m->path[0])
		return "no name";
	if (m->path[0] == '/')
		return "an absolute path";
	if (has_dotdot(m->path))
		return "a path with ..";
	switch (h->type) {
	case '0':
		return m->sparse ? "a sparse file" : NULL;
	case '5':
		return NULL;
	case '1':
		return "a hard link";
	case '2':
		return "a symbolic link";
	case '3':
	case '4':
		return "a device";
	case '6':
		return "a fifo";
	default:
		return "not a regular file";
	}
}

void pm_tar_member_free(struct pm_tar_member *m)
{
	free(m->path);
	memset(m, 0, sizeof *m);
}
