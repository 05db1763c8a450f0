/* What getrusage(2) and wait4(2) tell, as columns. Safe in the preload. */
#ifndef PM_RUSAGE_H
#define PM_RUSAGE_H

#include "common/record.h"

#include <stdint.h>
#include <sys/resource.h>

/* A time of it in microseconds. */
static inline int64_t pm_rusage_us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

/* User and system time in nanoseconds, which it knows to the microsecond. */
int64_t pm_rusage_cpu_ns(const struct rusage *ru);

/* Set the columns usertime to invol_ctxsw. Not rssmax: the peak is not always that of the same. */
void pm_rusage_set(struct pm_record *r, const struct rusage *ru);

#endif
