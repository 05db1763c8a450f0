/* Totals over processes for a job's summary, added up while the processes are written. */
#ifndef PM_SUBMIT_ROWS_JOBTOTALS_H
#define PM_SUBMIT_ROWS_JOBTOTALS_H

#include "submit/job/gather.h"

#include <stdbool.h>
#include <stdint.h>

/* A sum or extreme, which may be unknown. */
struct pm_total {
	bool known;
	int64_t v;
	bool beyond; /* the sum overflows and is unknown */
};

/* Values besides the totals of columns, in the order of the query for them in jobsummary.c.
 */
enum pm_jobtotals_item {
	PM_JOBTOTALS_START,
	PM_JOBTOTALS_END,
	PM_JOBTOTALS_PROCESSES,
	PM_JOBTOTALS_THREADS,
	PM_JOBTOTALS_FAILED,
	PM_JOBTOTALS_KILLED,
	PM_JOBTOTALS_RUNNING,
	PM_JOBTOTALS_WITHOUT_END,
	PM_JOBTOTALS_REAPED_ONLY,
	PM_JOBTOTALS_RANKS,
	PM_JOBTOTALS_CPU,
	PM_JOBTOTALS_OWN_CPU,
	PM_JOBTOTALS_LATE,
	PM_JOBTOTALS_ITEMS
};

struct pm_jobtotals_host {
	struct pm_total stop_us, cpu, own_cpu;
};

struct pm_jobtotals {
	struct pm_total item[PM_JOBTOTALS_ITEMS];
	struct pm_total column[PM_COLUMNS]; /* of the columns that pm_jobtotals_sql aggregates */
	struct pm_jobtotals_host *host;     /* by index of pm_images.host */
	struct pm_hashmap ranks;
	uint64_t sum[(PM_COLUMNS + 63) / 64],
		peak[(PM_COLUMNS + 63) /
		     64]; /* sets of columns to sum up, to take the maximum of */
};

/* SQL aggregate of a column over processes, or NULL if the job does not have the column. */
const char *pm_jobtotals_sql(enum pm_column c);

/* Start with no processes. Returns 0, or -1 if out of memory. */
int pm_jobtotals_init(struct pm_jobtotals *s, const struct pm_gather *g);
void pm_jobtotals_free(
	struct pm_jobtotals *s); /* an all-zero struct is allowed, and a second call */

/* Add the row of a process; `cpu` is its CPU time, -1: unknown. Returns 0, or -1 if out of
 * memory. */
int pm_jobtotals_add(struct pm_jobtotals *s, uint32_t host, const struct pm_record *r, int64_t cpu);

#endif
