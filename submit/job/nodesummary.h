/*
 * From what was sampled of a node to its summaries (common/summaries.def). Values are handed over
 * tick by tick in the order of the monotonic clock. What is unknown is left out: a counter's next
 * known value stands for the time since its last one. A counter that falls began anew; how much it
 * had counted until then nobody knows, so that totals are at least what is said. Programs only.
 */
#ifndef PM_NODE_H
#define PM_NODE_H

#include "common/err.h"
#include "common/summaries.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a series means here. */
enum pm_node_part {
	PM_NODE_NOTHING,
	PM_NODE_CPU,     /* a kind of CPU time of all CPUs (object 0) or of number object - 1 */
	PM_NODE_LEVEL,   /* the latest value counts */
	PM_NODE_COUNTER, /* differences count */
};

struct pm_node_role {
	uint8_t part;    /* enum pm_node_part */
	uint8_t field;   /* which CPU time, level or counter */
	uint16_t object; /* of a CPU time */
};

/* The role of a series, by what its declaration says. */
struct pm_node_role pm_node_role(const char *source, const char *metric, const char *object,
				 const char *kind);

struct pm_node; /* one host */

/* Start with no samples. Returns NULL without memory; freed by pm_node_free. */
struct pm_node *pm_node_new(void);
void pm_node_free(struct pm_node *n);

/* A value of the tick that is under way, or that it is unknown. Returns 0, or -1 with e filled. */
int pm_node_value(struct pm_node *n, struct pm_node_role role, bool known, int64_t value,
		  struct pm_err *e);

/* The tick is complete; it was at this time of the monotonic clock. */
void pm_node_tick(struct pm_node *n, int64_t monotonic_us);

/* What becomes of it all; values that are unknown are NaN. */
struct pm_node_summary {
	int64_t samples; /* ticks */
	int64_t unknown; /* ticks in which use of the CPUs was sampled and is not known */
	int64_t resets;  /* how often a counter fell */
	double value[PM_SUMMARIES];
};
void pm_node_finish(const struct pm_node *n, struct pm_node_summary *out);

#endif
