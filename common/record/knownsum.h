/* The sum, or the largest, of the values that are known. */
#ifndef PM_COMMON_RECORD_KNOWNSUM_H
#define PM_COMMON_RECORD_KNOWNSUM_H

#include <stdbool.h>
#include <stdint.h>

/* A sum of no known value, or one that is too large for a number. */
#define PM_KNOWNSUM_UNKNOWN INT64_MIN

/* { PM_KNOWNSUM_UNKNOWN, 0 } at first. */
struct pm_knownsum {
	int64_t sum;   /* or the largest */
	int64_t known; /* number of values */
};

/* Add a value. */
static inline void pm_knownsum_add(struct pm_knownsum *to, int64_t value, bool peak)
{
	if (to->known++ == 0)
		to->sum = value;
	else if (peak)
		to->sum = value > to->sum ? value : to->sum;
	else if (to->sum != PM_KNOWNSUM_UNKNOWN && __builtin_add_overflow(to->sum, value, &to->sum))
		to->sum = PM_KNOWNSUM_UNKNOWN;
}

/* Add the sum of other values. */
static inline void pm_knownsum_join(struct pm_knownsum *to, const struct pm_knownsum *from,
				    bool peak)
{
	const int64_t known = to->known + from->known;

	if (!from->known)
		return;
	if (from->sum == PM_KNOWNSUM_UNKNOWN)
		to->sum = PM_KNOWNSUM_UNKNOWN;
	else
		pm_knownsum_add(to, from->sum, peak);
	to->known = known;
}

#endif
