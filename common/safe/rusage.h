/* Convert the results of getrusage(2) and wait4(2) to columns. Safe in the preload. */
#ifndef PM_COMMON_SAFE_RUSAGE_H
#define PM_COMMON_SAFE_RUSAGE_H

#include "common/safe/record.h"

#include <stdint.h>
#include <sys/resource.h>

/* Convert a time of struct rusage to microseconds. */
static inline int64_t pm_rusage_us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

/* User plus system time in nanoseconds, with a resolution of a microsecond. */
int64_t pm_rusage_cpu_ns(const struct rusage *ru);

/* Set the columns that `ru` has, from usertime through invol_ctxsw. Leaves rssmax alone: ru_maxrss
 * may be the peak of another process. */
void pm_rusage_set(struct pm_record *r, const struct rusage *ru);

#endif
