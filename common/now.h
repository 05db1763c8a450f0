/* Read the clocks. Programs only: the collector makes the system calls itself. */
#ifndef PM_COMMON_NOW_H
#define PM_COMMON_NOW_H

#include <stdint.h>

/* Microseconds of CLOCK_REALTIME since 1970, UTC. Cannot fail; jumps when the clock is set. */
int64_t pm_now_us(void);

/* Microseconds of CLOCK_MONOTONIC, for intervals: never jumps, has no meaning across boots. Cannot
 * fail. */
int64_t pm_now_monotonic_us(void);

/* Microseconds of CPU time used by all threads of this process. Cannot fail. */
int64_t pm_now_cpu_us(void);

#endif
