/* Read files of keys and values. */
#include "config.h"

#include "sampler/sources/keyfile.h"

#include "sampler/kernel/procfile.h"

#include <string.h>

/* Suffixes of a key that is counted by memory zone; proc_vmstat(5). */
static const char *const zones[] = { "dma", "dma32", "normal", "high", "movable", "device" };

/* The length of the common prefix of a word and these n bytes. */
static size_t common_prefix(const char *word, const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && word[i] && word[i] == p[i])
		i++;
	return i;
}

/* Whether these n bytes are the key of a row or, if the row has zones, its key of a zone. Most
 * lines match no row, and differ within a few bytes. */
static bool matches_row(const struct pm_keyfile_row *row, const char *p, size_t n)
{
	const size_t key_n = common_prefix(row->key, p, n);

	if (row->key[key_n])
		return false;
	if (key_n == n)
		return true;
	if (!row->zones || p[key_n] != '_')
		return false;
	p += key_n + 1;
	n -= key_n + 1;
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++)
		if (common_prefix(zones[i], p, n) == n && zones[i][n] == '\0')
			return true;
	return false;
}

/* The row of a key in the range [from, to), or `to`. */
static size_t find_from(const struct pm_keyfile *keys, size_t from, size_t to, const char *p,
			size_t n)
{
	for (size_t i = from; i < to; i++) {
		const char *key = keys->rows[i].key;

		if (key[0] == p[0] && (n == 1 || key[1] == p[1]) &&
		    matches_row(&keys->rows[i], p, n))
			return i;
	}
	return to;
}

/* The row of a key, searched from `next` on and then from the start; count where there is none. */
static size_t find_row(const struct pm_keyfile *keys, size_t next, const char *p, size_t n)
{
	size_t at = find_from(keys, next, keys->count, p, n);

	if (at == keys->count && (at = find_from(keys, 0, next, p, n)) == next)
		return keys->count;
	return at;
}

/* Read "value[ unit]\n" at p. Returns 0 or -1. */
static int parse_value(const struct pm_keyfile_row *row, const char *p, const char *end,
		       int64_t *value)
{
	size_t unit_n = strlen(row->unit);

	if (pm_procfile_number(&p, end, value) < 0)
		return -1;
	if (unit_n && *p++ != ' ')
		return -1;
	if ((size_t)(end - p) <= unit_n || memcmp(p, row->unit, unit_n) != 0 || p[unit_n] != '\n')
		return -1;
	return __builtin_mul_overflow(*value, row->scale, value) ? -1 : 0;
}

static void put_row(const struct pm_keyfile_row *row, const char *p, const char *end,
		    struct pm_sink *sink, int series)
{
	const struct pm_series *s = &sink->series[series];
	int64_t value;

	if (s->known && !row->zones)
		return;
	if (!s->known && s->reason == PM_REASON_parse)
		return;
	if (parse_value(row, p, end, &value) < 0 ||
	    (s->known && __builtin_add_overflow(value, s->value, &value)))
		pm_sink_unknown(sink, series, PM_REASON_parse);
	else
		pm_sink_value(sink, series, value);
}

void pm_keyfile_put(const struct pm_keyfile *keys, const char *text, size_t n, struct pm_sink *sink,
		    int first)
{
	const char *end = text + n;
	size_t next = 0;

	for (size_t i = 0; i < keys->count; i++)
		pm_sink_unknown(sink, first + (int)i, PM_REASON_absent);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *key;
		size_t row;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		for (int i = 0; i < keys->words; i++) {
			while (p < newline && *p != ' ')
				p++;
			while (p < newline && *p == ' ')
				p++;
		}
		key = p;
		while (p < newline && *p != ' ' && *p != '\t')
			p++;
		if (p == key)
			continue;
		row = find_row(keys, next, key, (size_t)(p - key));
		if (row == keys->count)
			continue;
		next = row;
		while (p < newline && (*p == ' ' || *p == '\t'))
			p++;
		put_row(&keys->rows[row], p, end, sink, first + (int)row);
	}
}

int pm_keyfile_number(const char *text, size_t n, int64_t *value)
{
	const char *p = text;

	return pm_procfile_number(&p, text + n, value) == 0 && p + 1 == text + n && *p == '\n' ? 0
											       : -1;
}
