/* The union of intervals of time: exact, whatever their order. */
#ifndef PM_COMMON_RECORD_INTERVALS_H
#define PM_COMMON_RECORD_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_interval {
	int64_t start_us, end_us; /* start_us <= end_us */
};

/* Zero at first. Memory grows with the intervals that do not touch, not with those added. */
struct pm_intervals {
	struct pm_interval
		*at; /* after pm_intervals_merge(): disjoint, the earliest first; owned */
	size_t count;
	size_t merged; /* so many at the beginning are disjoint and sorted */
	size_t room;
};

/* Whether two times are those of an interval: ordered, and of times that their sum has room for,
 * which excludes only what a damaged database may hold. */
bool pm_intervals_valid(int64_t start_us, int64_t end_us);

/* Add an interval. Returns false if out of memory. */
bool pm_intervals_add(struct pm_intervals *x, int64_t start_us, int64_t end_us);

/* Merge those that overlap or touch: x->at is their union. One of no length counts unless it
 * touches another. */
void pm_intervals_merge(struct pm_intervals *x);

/* Length of the union in microseconds, of merged intervals. */
int64_t pm_intervals_length(const struct pm_intervals *x);

/*
 * Write merged intervals as bytes: for each the time since the end of the one before it, then its
 * length, us, by pm_sevenbits_put(). Of the first it is the time since 1970, and the numbers 0, 1,
 * 2, 3 are 0, -1, 1, -2. *bytes gets an array to be freed. Returns their number, or -1 if out of
 * memory.
 */
int64_t pm_intervals_encode(const struct pm_intervals *x, uint8_t **bytes);

/* Add intervals that were written so. Returns 0, -1 if out of memory, or -2 if these bytes are
 * none: then those before the damage are added. */
int pm_intervals_decode(struct pm_intervals *x, const uint8_t *bytes, size_t n);

void pm_intervals_free(struct pm_intervals *x);

#endif
