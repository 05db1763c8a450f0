/* Unite intervals: most come in order, as processes are listed; the others wait to be sorted. */
#include "config.h"

#include "common/record/intervals.h"

#include "common/grow.h"
#include "common/record/sevenbits.h"

#include <stdlib.h>
#include <string.h>

/* Times further from 1970 than this, some 70 000 years, are none. */
#define FARTHEST (INT64_MAX / 4)

/* So many wait at least before they are sorted in. */
#define LEAST_WAITING 1024

bool pm_intervals_valid(int64_t start_us, int64_t end_us)
{
	return start_us <= end_us && start_us >= -FARTHEST && end_us <= FARTHEST;
}

static int by_start(const void *a, const void *b)
{
	const struct pm_interval *x = a, *y = b;

	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

void pm_intervals_merge(struct pm_intervals *x)
{
	size_t last = 0;

	if (x->merged == x->count)
		return;
	qsort(x->at, x->count, sizeof *x->at, by_start);
	for (size_t i = 1; i < x->count; i++) {
		if (x->at[i].start_us > x->at[last].end_us)
			x->at[++last] = x->at[i];
		else if (x->at[i].end_us > x->at[last].end_us)
			x->at[last].end_us = x->at[i].end_us;
	}
	x->count = x->merged = last + 1;
}

/* Whether an interval could be joined to the last of those that are merged. */
static bool join_last(struct pm_intervals *x, int64_t start_us, int64_t end_us)
{
	struct pm_interval *last = x->merged ? &x->at[x->merged - 1] : NULL;

	if (!last || start_us < last->start_us || start_us > last->end_us)
		return false;
	if (end_us > last->end_us)
		last->end_us = end_us;
	return true;
}

bool pm_intervals_add(struct pm_intervals *x, int64_t start_us, int64_t end_us)
{
	bool in_order;

	if (join_last(x, start_us, end_us))
		return true;
	if (x->count - x->merged >= LEAST_WAITING && x->count - x->merged >= x->merged)
		pm_intervals_merge(x);
	in_order = x->merged == x->count && (!x->count || start_us > x->at[x->count - 1].end_us);
	if (!PM_GROW(x->at, x->count, x->room, 4))
		return false;
	x->at[x->count++] = (struct pm_interval){ start_us, end_us };
	x->merged += in_order;
	return true;
}

int64_t pm_intervals_length(const struct pm_intervals *x)
{
	int64_t sum = 0;

	for (size_t i = 0; i < x->count; i++)
		sum += x->at[i].end_us - x->at[i].start_us;
	return sum;
}

int64_t pm_intervals_encode(const struct pm_intervals *x, uint8_t **bytes)
{
	uint8_t *p = malloc(2 * PM_SEVENBITS_MAX * x->count + 1);
	int64_t last = 0;

	*bytes = p;
	if (!p)
		return -1;
	for (size_t i = 0; i < x->count; i++) {
		const int64_t start = x->at[i].start_us, since = start - last;

		p = pm_sevenbits_put(p, i ? (uint64_t)since
					  : (uint64_t)start << 1 ^ (uint64_t)(start >> 63));
		p = pm_sevenbits_put(p, (uint64_t)(x->at[i].end_us - start));
		last = x->at[i].end_us;
	}
	return p - *bytes;
}

int pm_intervals_decode(struct pm_intervals *x, const uint8_t *bytes, size_t n)
{
	const uint8_t *p = bytes, *end = p + n;
	int64_t last = 0;

	while (p < end) {
		const bool first = p == bytes;
		int64_t start, stop;
		uint64_t since, length;

		if (!pm_sevenbits_get(&p, end, &since) || !pm_sevenbits_get(&p, end, &length))
			return -2;
		start = first ? (int64_t)(since >> 1) ^ -(int64_t)(since & 1) : (int64_t)since;
		if ((!first && __builtin_add_overflow(last, start, &start)) ||
		    __builtin_add_overflow(start, (int64_t)length, &stop) ||
		    !pm_intervals_valid(start, stop))
			return -2;
		if (!pm_intervals_add(x, start, stop))
			return -1;
		last = stop;
	}
	return 0;
}

void pm_intervals_free(struct pm_intervals *x)
{
	free(x->at);
	memset(x, 0, sizeof *x);
}
