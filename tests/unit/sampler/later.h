/* Time as the test has it. */
#ifndef PM_TESTS_UNIT_SAMPLER_LATER_H
#define PM_TESTS_UNIT_SAMPLER_LATER_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t later_s;    /* that this process' monotonic clock is ahead */
static int64_t frozen_us; /* what it says but for that; 0: it goes */

/* Stands for the C library's. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (syscall(SYS_clock_gettime, clock, t) != 0)
		return -1;
	if (clock != CLOCK_MONOTONIC)
		return 0;
	if (frozen_us) {
		t->tv_sec = frozen_us / 1000000;
		t->tv_nsec = frozen_us % 1000000 * 1000;
	}
	t->tv_sec += later_s;
	return 0;
}

#endif
