/* The grid of ticks. */
#include "config.h"

#include "sampler/clock.h"

#include <time.h>

/* A pair of readings further apart than this was interrupted, and is taken again. */
#define PAIR_APART_NS 5000

#define PAIR_TRIES 8

/* The wall clock was set if it moved by more than this against the monotonic clock, which it
 * follows otherwise. Two readings of the pair differ by far less. */
#define STEP_US 1000

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct pm_moment pm_clock_now(void)
{
	int64_t best = INT64_MAX;
	struct pm_moment m = { 0, 0, 0 };

	for (int i = 0; i < PAIR_TRIES && best > PAIR_APART_NS; i++) {
		int64_t before = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME);
		int64_t boot = now_ns(CLOCK_BOOTTIME);
		int64_t apart = now_ns(CLOCK_MONOTONIC) - before;

		if (apart < best) {
			best = apart;
			m.real_us = real / 1000;
			m.monotonic_us = (before + apart / 2) / 1000;
			m.asleep_us = boot / 1000 - m.monotonic_us;
		}
	}
	return m;
}

void pm_clock_start(struct pm_clock *c, int64_t interval_us, struct pm_moment now)
{
	c->interval_us = interval_us;
	c->next_us = now.monotonic_us + interval_us - now.real_us % interval_us;
	c->apart_us = now.real_us - now.monotonic_us;
	c->asleep_us = now.asleep_us;
}

uint64_t pm_clock_advance(struct pm_clock *c, struct pm_moment now)
{
	const int64_t slept = now.asleep_us - c->asleep_us;
	const int64_t moved = now.real_us - now.monotonic_us - c->apart_us;
	int64_t steps = 1;

	if (now.monotonic_us >= c->next_us)
		steps += (now.monotonic_us - c->next_us) / c->interval_us;
	c->next_us += steps * c->interval_us;
	if (slept > STEP_US) {
		steps += slept / c->interval_us;
		c->asleep_us = now.asleep_us;
	}
	if (moved > STEP_US || moved < -STEP_US)
		pm_clock_start(c, c->interval_us, now);
	return (uint64_t)(steps - 1);
}
