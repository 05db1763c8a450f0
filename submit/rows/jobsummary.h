/* The summary of a job: columns of its rows in job and host, computed from its other rows. Programs
 * only. */
#ifndef PM_SUMMARY_H
#define PM_SUMMARY_H

#include "common/columns.h"
#include "db/db.h"
#include "submit/sums.h"

#include <stdbool.h>
#include <stddef.h>

struct pm_summary_value {
	const char *column;
	bool known; /* else NULL */
	bool real;  /* r, else i */
	int64_t i;
	double r;
};

struct pm_summary {
	struct pm_summary_value value[32 + PM_COLUMNS];
	size_t n;
};

/* Compute what belongs into the job's row. Returns 0 or -1 with e filled. */
int pm_summary_compute(struct pm_db *db, int64_t job_id, struct pm_summary *s, struct pm_err *e);

/* Call `each` with what belongs into the row of every host. Returns 0, or -1 with e filled or where
 * `each` does. */
int pm_summary_hosts(struct pm_db *db, int64_t job_id,
		     int (*each)(void *ctx, int64_t host, const struct pm_summary *s,
				 struct pm_err *e),
		     void *ctx, struct pm_err *e);

/*
 * Compute and store it all. `sums` are those of all processes of the job, whose hosts are numbered
 * as there, from 1; NULL has them asked from the database. Returns 0 or -1 with e filled.
 */
int pm_summary_write(struct pm_db *db, int64_t job_id, const struct pm_sums *sums,
		     struct pm_err *e);

#endif
