/* Sums over processes for a job's summary, added up while the processes are written. */
#ifndef PM_SUBMIT_ROWS_JOBSUMS_H
#define PM_SUBMIT_ROWS_JOBSUMS_H

#include "submit/job/gather.h"

#include <stdbool.h>
#include <stdint.h>

/* A sum or extreme, which may be unknown. */
struct pm_sum {
	bool known;
	int64_t v;
	bool beyond; /* the sum overflows and is unknown */
};

/* Values besides the sums and peaks of columns, in the order of the query for them in jobsummary.c.
 */
enum pm_jobsums_item {
	PM_JOBSUMS_START,
	PM_JOBSUMS_END,
	PM_JOBSUMS_PROCESSES,
	PM_JOBSUMS_THREADS,
	PM_JOBSUMS_FAILED,
	PM_JOBSUMS_KILLED,
	PM_JOBSUMS_RUNNING,
	PM_JOBSUMS_WITHOUT_END,
	PM_JOBSUMS_REAPED_ONLY,
	PM_JOBSUMS_RANKS,
	PM_JOBSUMS_CPU,
	PM_JOBSUMS_OWN_CPU,
	PM_JOBSUMS_LATE,
	PM_JOBSUMS_ITEMS
};

struct pm_jobsums_host {
	struct pm_sum stop_us, cpu, own_cpu;
};

struct pm_jobsums {
	struct pm_sum item[PM_JOBSUMS_ITEMS];
	struct pm_sum column[PM_COLUMNS]; /* of the columns that pm_jobsums_sql aggregates */
	struct pm_jobsums_host *host;     /* by index of pm_images.host */
	struct pm_hashmap ranks;
	uint64_t sum[(PM_COLUMNS + 63) / 64],
		peak[(PM_COLUMNS + 63) /
		     64]; /* sets of columns to sum up, to take the maximum of */
};

/* SQL aggregate of a column over processes, or NULL if the job does not have the column. */
const char *pm_jobsums_sql(enum pm_column c);

/* Start with no processes. Returns 0, or -1 if out of memory. */
int pm_jobsums_init(struct pm_jobsums *s, const struct pm_gather *g);
void pm_jobsums_free(struct pm_jobsums *s); /* an all-zero struct is allowed, and a second call */

/* Add the row of a process; `cpu` is its CPU time, -1: unknown. Returns 0, or -1 if out of
 * memory. */
int pm_jobsums_add(struct pm_jobsums *s, uint32_t host, const struct pm_record *r, int64_t cpu);

#endif
