/* Read files of keys and values. */
#include "config.h"

#include "sampler/keys.h"
#include "sampler/procfile.h"

#include <string.h>

/* What follows a key in the names of its parts; proc_vmstat(5). */
static const char *const zones[] = { "dma", "dma32", "normal", "high", "movable", "device" };

/* How many bytes a word and these n bytes have in common at their beginning. */
static size_t common(const char *word, const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && word[i] && word[i] == p[i])
		i++;
	return i;
}

/* Whether these n bytes are the key of a row or, where it has them, of one of its zones. Most lines
 * are of no row, and differ from each soon. */
static bool matches(const struct pm_keys_row *row, const char *p, size_t n)
{
	const size_t key_n = common(row->key, p, n);

	if (row->key[key_n])
		return false;
	if (key_n == n)
		return true;
	if (!row->zones || p[key_n] != '_')
		return false;
	p += key_n + 1;
	n -= key_n + 1;
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++)
		if (common(zones[i], p, n) == n && zones[i][n] == '\0')
			return true;
	return false;
}

/* The row of a key among those from `from` on and before `to`, or `to`. */
static size_t find_from(const struct pm_keys *keys, size_t from, size_t to, const char *p, size_t n)
{
	for (size_t i = from; i < to; i++) {
		const char *key = keys->rows[i].key;

		if (key[0] == p[0] && (n == 1 || key[1] == p[1]) && matches(&keys->rows[i], p, n))
			return i;
	}
	return to;
}

/* The row of a key, looked for from `next` on; count where there is none. */
static size_t find(const struct pm_keys *keys, size_t next, const char *p, size_t n)
{
	size_t at = find_from(keys, next, keys->count, p, n);

	if (at == keys->count && (at = find_from(keys, 0, next, p, n)) == next)
		return keys->count;
	return at;
}

/* Read "value[ unit]\n" at p. Returns 0 or -1. */
static int value_of(const struct pm_keys_row *row, const char *p, const char *end, int64_t *value)
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

static void put(const struct pm_keys_row *row, const char *p, const char *end, struct pm_sink *sink,
		int series)
{
	const struct pm_series *s = &sink->series[series];
	int64_t value;

	if (s->known && !row->zones)
		return;
	if (!s->known && s->reason == PM_REASON_parse)
		return;
	if (value_of(row, p, end, &value) < 0 ||
	    (s->known && __builtin_add_overflow(value, s->value, &value)))
		pm_sink_unknown(sink, series, PM_REASON_parse);
	else
		pm_sink_value(sink, series, value);
}

void pm_keys_put(const struct pm_keys *keys, const char *text, size_t n, struct pm_sink *sink,
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
		row = find(keys, next, key, (size_t)(p - key));
		if (row == keys->count)
			continue;
		next = row;
		while (p < newline && (*p == ' ' || *p == '\t'))
			p++;
		put(&keys->rows[row], p, end, sink, first + (int)row);
	}
}

int pm_keys_number(const char *text, size_t n, int64_t *value)
{
	const char *p = text;

	return pm_procfile_number(&p, text + n, value) == 0 && p + 1 == text + n && *p == '\n' ? 0
											       : -1;
}
