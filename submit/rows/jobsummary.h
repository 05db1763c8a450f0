/* Summary of a job: columns of its rows in tables job and host, computed from its other rows. */
#ifndef PM_SUBMIT_ROWS_JOBSUMMARY_H
#define PM_SUBMIT_ROWS_JOBSUMMARY_H

#include "common/safe/columns.h"
#include "db/db.h"
#include "submit/rows/jobtotals.h"

#include <stdbool.h>
#include <stddef.h>

struct pm_jobsummary_value {
	const char *column;
	bool known; /* else NULL */
	bool real;  /* the value is r, else i */
	int64_t i;
	double r;
};

struct pm_jobsummary {
	struct pm_jobsummary_value value[32 + PM_COLUMNS];
	size_t n;
};

/* Compute the summary columns of the job's row; `column` has the totals that processes have of each
 * column. Returns 0 or -1 with e filled. */
int pm_jobsummary_compute(struct pm_db *db, int64_t job_id,
			  const struct pm_total column[PM_COLUMNS], struct pm_jobsummary *s,
			  struct pm_err *e);

/* Call `each` with the summary columns of every host's row. Returns 0, or -1 with e filled or if
 * `each` does. */
int pm_jobsummary_hosts(struct pm_db *db, int64_t job_id,
			int (*each)(void *ctx, int64_t host, const struct pm_jobsummary *s,
				    struct pm_err *e),
			void *ctx, struct pm_err *e);

/*
 * Compute and store the summary columns of job and hosts. `totals` covers all processes of the job
 * and numbers its hosts in table order from 1; with NULL the totals are queried from the database.
 * Returns 0 or -1 with e filled.
 */
int pm_jobsummary_write(struct pm_db *db, int64_t job_id, const struct pm_jobtotals *totals,
			struct pm_err *e);

#endif
