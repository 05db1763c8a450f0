/* What the summary of a job takes from its processes, added up while these are written. Programs
 * only. */
#ifndef PM_SUMS_H
#define PM_SUMS_H

#include "submit/gather.h"

#include <stdbool.h>
#include <stdint.h>

/* A number, or that it is unknown. */
struct pm_sum {
	bool known;
	int64_t v;
	bool beyond; /* the sum overflows and is unknown */
};

/* What is taken beside the columns' own sums and peaks, in the order of the query for the same in
 * summary.c. */
enum pm_sums_item {
	PM_SUMS_START,
	PM_SUMS_END,
	PM_SUMS_PROCESSES,
	PM_SUMS_THREADS,
	PM_SUMS_FAILED,
	PM_SUMS_KILLED,
	PM_SUMS_RUNNING,
	PM_SUMS_WITHOUT_END,
	PM_SUMS_REAPED_ONLY,
	PM_SUMS_RANKS,
	PM_SUMS_CPU,
	PM_SUMS_OWN_CPU,
	PM_SUMS_LATE,
	PM_SUMS_ITEMS
};

struct pm_sums_host {
	struct pm_sum stop_us, cpu, own_cpu;
};

struct pm_sums {
	struct pm_sum item[PM_SUMS_ITEMS];
	struct pm_sum column[PM_COLUMNS]; /* those of pm_sums_sql */
	struct pm_sums_host *host;        /* by the number in pm_images */
	struct pm_set ranks;
	uint64_t sum[(PM_COLUMNS + 63) / 64], peak[(PM_COLUMNS + 63) / 64]; /* columns */
};

/* The SQL aggregate of a column over processes, or NULL where the job has none of it. */
const char *pm_sums_sql(enum pm_column c);

/* Start with no process of what was gathered. Returns 0 or -1 without memory. */
int pm_sums_init(struct pm_sums *s, const struct pm_gather *g);
void pm_sums_free(struct pm_sums *s); /* of zeros, or again: nothing */

/* Add a process as its row has it: `cpu` is its CPU time, -1 unknown. Returns as above. */
int pm_sums_add(struct pm_sums *s, uint32_t host, const struct pm_record *r, int64_t cpu);

#endif
