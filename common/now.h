/* What time it is. Programs only: the collector asks the kernel itself. */
#ifndef PM_NOW_H
#define PM_NOW_H

#include <stdint.h>

/* Microseconds of CLOCK_REALTIME since 1970, UTC. Cannot fail; jumps when the clock is set. */
int64_t pm_now_us(void);

/* Microseconds of CLOCK_MONOTONIC, for intervals: no jumps, and no meaning across boots. Cannot
 * fail. */
int64_t pm_now_monotonic_us(void);

/* Microseconds of CPU time that this process has used, all threads. Cannot fail. */
int64_t pm_now_cpu_us(void);

#endif
