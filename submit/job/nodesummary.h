/*
 * Summarize the samples of a node (common/record/nodesummaries.def). Values are passed tick by tick
 * in the order of the monotonic clock. Unknown values are skipped: a counter's next known value
 * covers the time since its last one. A counter that falls was reset; the amount it had counted
 * since its last sample is lost, so totals are lower bounds.
 */
#ifndef PM_SUBMIT_JOB_NODESUMMARY_H
#define PM_SUBMIT_JOB_NODESUMMARY_H

#include "common/err.h"
#include "common/record/nodesummaries.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Role of a series in the summaries. */
enum pm_nodesummary_part {
	PM_NODESUMMARY_NOTHING,
	PM_NODESUMMARY_CPU,     /* a CPU time: of all CPUs (object 0) or of CPU object - 1 */
	PM_NODESUMMARY_LEVEL,   /* the latest value counts */
	PM_NODESUMMARY_COUNTER, /* differences count */
};

struct pm_nodesummary_role {
	uint8_t part;    /* enum pm_nodesummary_part */
	uint8_t field;   /* which CPU time, level or counter */
	uint16_t object; /* for a CPU time: 0, or CPU number + 1 */
};

/* The role of a series, from its declaration. */
struct pm_nodesummary_role pm_nodesummary_role(const char *source, const char *metric,
					       const char *object, const char *kind);

struct pm_nodesummary; /* summary of one host */

/* Start with no samples. Returns NULL if out of memory; freed by pm_nodesummary_free. */
struct pm_nodesummary *pm_nodesummary_new(void);
void pm_nodesummary_free(struct pm_nodesummary *n);

/* Add a value, known or not, to the current tick. Returns 0, or -1 with e filled. */
int pm_nodesummary_value(struct pm_nodesummary *n, struct pm_nodesummary_role role, bool known,
			 int64_t value, struct pm_err *e);

/* End the current tick, taken at this time of the monotonic clock. */
void pm_nodesummary_tick(struct pm_nodesummary *n, int64_t monotonic_us);

/* The results; unknown values are NaN. */
struct pm_nodesummary_of {
	int64_t samples; /* number of ticks */
	int64_t unknown; /* ticks with CPU samples whose CPU use is unknown */
	int64_t resets;  /* number of counter resets */
	double value[PM_NODESUMMARIES];
};
void pm_nodesummary_finish(const struct pm_nodesummary *n, struct pm_nodesummary_of *out);

#endif
