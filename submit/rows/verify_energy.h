/* Consistency check of a job's energy: of meters, hosts and the job. */
#ifndef PM_SUBMIT_ROWS_VERIFY_ENERGY_H
#define PM_SUBMIT_ROWS_VERIFY_ENERGY_H

#include "submit/rows/verify_rollups.h"

/* Compare the meters of a job's hosts with its samples. Calls `each` for every column that differs,
 * and for rows that are missing or too many; not for a host with samples that cannot be read.
 * Returns 0, or -1 with e filled or if `each` does. */
int pm_verify_meters(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e);

/* Add up the meters of a job again, and compare with the rows of hosts and job. Returns the same.
 */
int pm_verify_energy(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e);

#endif
