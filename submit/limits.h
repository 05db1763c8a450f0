/* Limits on the cost and size of one load. */
#ifndef PM_SUBMIT_LIMITS_H
#define PM_SUBMIT_LIMITS_H

#include <stdint.h>

/* 0: no limit. */
struct pm_load_limits {
	int64_t cpu_us; /* CPU time of this process */
	uint64_t hosts, series;
	uint64_t rows; /* lines and samples */
};

#endif
