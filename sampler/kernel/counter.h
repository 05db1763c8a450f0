/*
 * Counters of devices, which wrap, stop at their end, or are reset, made into counts that never
 * fall. One object per counter; values are as the device counts, before any scaling.
 */
#ifndef PM_SAMPLER_KERNEL_COUNTER_H
#define PM_SAMPLER_KERNEL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* How a device counts; may be read from the device, and differ from object to object. */
struct pm_counter_rule {
	uint64_t modulus; /* the count goes from modulus - 1 to 0; 0: it never wraps */
	uint64_t per_s;   /* the most that it can count in a second; 0: not known */
	bool saturates;   /* with a modulus: the count stops at modulus - 1 */
};

struct pm_counter {
	bool held;       /* has a value */
	bool restarted;  /* since the latest value */
	uint64_t raw;    /* the latest value */
	uint64_t base;   /* to be added to it: wraps, and what was counted before resets */
	int64_t time_us; /* of the latest value, on the monotonic clock */
};

/*
 * Take the next value of a counter, read at time_us on the monotonic clock. A fall is a wrap where
 * the rule's rate allows the distance in the time passed, and half the modulus without a rate; else
 * the counter was reset, and what it counted meanwhile is not known.
 * Returns true with *count set, or false where the count is not known this time
 * (PM_REASON_wrapped): after a reset, and after a time in which the rate allows more than one wrap,
 * from which on the count goes on; and at the end of a counter that stops there.
 */
bool pm_counter_next(struct pm_counter *c, const struct pm_counter_rule *rule, uint64_t raw,
		     int64_t time_us, uint64_t *count);

/* The device says that it began to count anew: what it counted since the latest value is not
 * known, and the next value is the first of the new count, from which on the count goes on. */
void pm_counter_restart(struct pm_counter *c);

#endif
