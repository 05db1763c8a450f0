/* Read the clocks. */
#include "config.h"

#include "common/now.h"

#include <time.h>

static int64_t clock_us(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t pm_now_us(void)
{
	return clock_us(CLOCK_REALTIME);
}

int64_t pm_now_monotonic_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

int64_t pm_now_cpu_us(void)
{
	return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}
