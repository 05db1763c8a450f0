/* Add up the block I/O figures of control groups. */
#include "config.h"

#include "sampler/job/cgroupio.h"

#include "sampler/kernel/diskrule.h"
#include "sampler/kernel/procfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether traffic counts at a device "M:N" of n bytes. */
static bool device_counts(struct pm_cgroupio *c, const char *number, size_t n)
{
	char target[512], *path, *name;
	bool result = true;
	ssize_t len;

	for (int i = 0; i < c->devices; i++)
		if (strncmp(c->device[i].number, number, n) == 0 && !c->device[i].number[n])
			return c->device[i].counts;
	if (asprintf(&path, "%s/sys/dev/block/%.*s", c->root, (int)n, number) < 0)
		return true;
	len = readlink(path, target, sizeof target - 1);
	free(path);
	if (len > 0) {
		target[len] = '\0';
		name = strrchr(target, '/');
		result = pm_diskrule_counts(c->root, name ? name + 1 : target);
	}
	if (c->devices < PM_CGROUPIO_DEVICES) {
		memcpy(c->device[c->devices].number, number, n);
		c->device[c->devices].number[n] = '\0';
		c->device[c->devices++].counts = result;
	}
	return result;
}

static const char *word_end(const char *p, const char *newline)
{
	while (p < newline && *p != ' ')
		p++;
	return p;
}

/* Whether a word of n bytes is "M:N" and fits into struct pm_cgroupio. */
static bool is_device(const char *p, size_t n)
{
	size_t digits = strspn(p, "0123456789");

	return digits && digits + 1 < n && n < sizeof((struct pm_cgroupio *)0)->device[0].number &&
	       p[digits] == ':' && digits + 1 + strspn(p + digits + 1, "0123456789") == n;
}

int pm_cgroupio_sum(struct pm_cgroupio *c, const char *text, size_t n, const char *key, char mark,
		    int64_t *sum)
{
	const char *end = text + n;
	const size_t key_n = strlen(key);

	*sum = 0;
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *word;
		int64_t value;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return -1; /* cut */
		word = word_end(p, newline);
		if (!is_device(p, (size_t)(word - p)) || !device_counts(c, p, (size_t)(word - p)))
			continue;
		for (p = word; p < newline; p = word_end(p, newline)) {
			while (p < newline && *p == ' ')
				p++;
			if ((size_t)(newline - p) <= key_n || memcmp(p, key, key_n) != 0 ||
			    p[key_n] != mark)
				continue;
			p += key_n + 1;
			if (pm_procfile_number(&p, newline + 1, &value) < 0 ||
			    __builtin_add_overflow(*sum, value, sum))
				return -1;
		}
	}
	return 0;
}
