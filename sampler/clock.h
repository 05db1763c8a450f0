/*
 * When to sample: at whole multiples of the interval by the wall clock, so that the nodes of a job
 * sample together without talking. Between ticks the monotonic clock counts, so that a step of the
 * wall clock neither stops nor crowds the ticks. At the first tick after a step, or after the
 * machine slept, the grid is aligned to the wall clock anew.
 */
#ifndef PM_SAMPLER_CLOCK_H
#define PM_SAMPLER_CLOCK_H

#include <stdint.h>

/* One moment by both clocks, in microseconds. */
struct pm_moment {
	int64_t real_us;      /* CLOCK_REALTIME */
	int64_t monotonic_us; /* CLOCK_MONOTONIC */
	int64_t asleep_us;    /* time that the machine has been suspended since boot */
};

struct pm_clock {
	int64_t interval_us;
	int64_t next_us;   /* the next tick, monotonic */
	int64_t apart_us;  /* wall clock minus monotonic clock when the grid was aligned */
	int64_t asleep_us; /* suspended time at the latest tick */
};

/* Read both clocks as close together as possible. */
struct pm_moment pm_clock_now(void);

/* Align the grid: the next tick is the first multiple of the interval after `now`. */
void pm_clock_start(struct pm_clock *c, int64_t interval_us, struct pm_moment now);

/*
 * The tick at next_us has been taken `now`: move on to the first tick after `now`. Returns the
 * number of ticks missed meanwhile, or while the machine slept; they are not made up for.
 */
uint64_t pm_clock_advance(struct pm_clock *c, struct pm_moment now);

#endif
