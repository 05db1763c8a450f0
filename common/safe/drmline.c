/* Lines about a client of a DRM driver. */
#include "config.h"

#include "common/safe/drmline.h"

#include <stdbool.h>
#include <string.h>

/* What follows the key. */
enum form { WORD, NUMBER, PART };

/* The text is in the row: see settings.c of the preload. Of keys that begin alike the longer one is
 * first. */
static const struct {
	char key[22];
	unsigned char length, form;
} keys[] = {
#define KEY(text, form)                                                                            \
	{                                                                                          \
		text, sizeof text - 1, form                                                        \
	}
	[PM_DRMLINE_DRIVER] = KEY("driver:", WORD),
	[PM_DRMLINE_DEVICE] = KEY("pdev:", WORD),
	[PM_DRMLINE_CLIENT] = KEY("client-id:", NUMBER),
	[PM_DRMLINE_CAPACITY] = KEY("engine-capacity-", PART),
	[PM_DRMLINE_NS] = KEY("engine-", PART),
	[PM_DRMLINE_CYCLES] = KEY("cycles-", PART),
	[PM_DRMLINE_TOTAL_CYCLES] = KEY("total-cycles-", PART),
	[PM_DRMLINE_TOTAL] = KEY("total-", PART),
	[PM_DRMLINE_SHARED] = KEY("shared-", PART),
	[PM_DRMLINE_RESIDENT] = KEY("resident-", PART),
	[PM_DRMLINE_MEMORY] = KEY("memory-", PART),
#undef KEY
};

#define KEYS (sizeof keys / sizeof keys[0])

static const struct {
	char text[6];
	unsigned char length, shift;
} units[] = { { "\n", 1, 0 },      { " ns\n", 4, 0 },   { " B\n", 3, 0 },
	      { " KiB\n", 5, 10 }, { " MiB\n", 5, 20 }, { " GiB\n", 5, 30 } };

#define UNITS (sizeof units / sizeof units[0])

/* The number with its unit at p, where a line ends behind it; -1: it is none. */
static int64_t read_value(const char *p, const char *end)
{
	const char *first = p;
	int64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			return -1;
	if (p == first)
		return -1;
	for (size_t i = 0; i < UNITS; i++)
		if ((size_t)(end - p) == units[i].length &&
		    memcmp(p, units[i].text, units[i].length) == 0)
			return v <= INT64_MAX >> units[i].shift ? v << units[i].shift : -1;
	return -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Take the one word at p. */
static int take_word(struct pm_drmline *l, const char *p, const char *end)
{
	const char *stop = p;

	while (*stop != '\n' && !is_blank(*stop))
		stop++;
	l->name.p = p;
	l->name.n = (size_t)(stop - p);
	return l->name.n > 0 && stop + 1 == end ? 1 : 0;
}

int pm_drmline_parse(struct pm_drmline *l, const char *line, size_t n)
{
	const char *const end = line + n, *colon, *p;
	size_t k = 0;

	if (n < 5 || memcmp(line, "drm-", 4) != 0 || end[-1] != '\n')
		return 0;
	line += 4;
	while (k < KEYS && ((size_t)(end - line) <= keys[k].length ||
			    memcmp(line, keys[k].key, keys[k].length) != 0))
		k++;
	if (k == KEYS)
		return 0;
	p = line + keys[k].length;
	colon = keys[k].form == PART ? memchr(p, ':', (size_t)(end - p)) : p - 1;
	if (!colon || (keys[k].form == PART && colon == p))
		return 0;
	l->key = (enum pm_drmline_key)k;
	l->name.p = p;
	l->name.n = keys[k].form == PART ? (size_t)(colon - p) : 0;
	for (p = colon + 1; is_blank(*p);)
		p++;
	if (keys[k].form == WORD)
		return take_word(l, p, end);
	l->value = read_value(p, end);
	return l->value < 0 ? -1 : 1;
}
