/*
 * When to sample: at whole multiples of the interval by the wall clock, so that the nodes of a job
 * sample together without talking. The grid is followed by the monotonic clock, so that a step of
 * the wall clock neither stops nor crowds the ticks; at the first tick after a step, or after the
 * machine slept, it is laid anew. Programs only.
 */
#ifndef PM_CLOCK_H
#define PM_CLOCK_H

#include <stdint.h>

/* One moment by both clocks, in microseconds. */
struct pm_moment {
	int64_t real_us;      /* CLOCK_REALTIME */
	int64_t monotonic_us; /* CLOCK_MONOTONIC */
	int64_t asleep_us;    /* for how long the machine has been suspended since it booted */
};

struct pm_clock {
	int64_t interval_us;
	int64_t next_us;   /* the next tick, monotonic */
	int64_t apart_us;  /* wall clock less monotonic clock when the grid was laid */
	int64_t asleep_us; /* of the latest tick */
};

/* Read both clocks as close together as can be had. */
struct pm_moment pm_clock_now(void);

/* Lay the grid: the next tick is the first multiple of the interval after `now`. */
void pm_clock_start(struct pm_clock *c, int64_t interval_us, struct pm_moment now);

/*
 * The tick at next_us has been taken `now`: move on to the first tick after it. Ticks that passed
 * meanwhile, or while the machine slept, are not made up for. Returns how many did.
 */
uint64_t pm_clock_advance(struct pm_clock *c, struct pm_moment now);

#endif
