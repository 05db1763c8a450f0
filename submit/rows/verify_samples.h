/* Consistency check of a job's samples: blocks can be read, and tell of their samples what holds.
 */
#ifndef PM_SUBMIT_ROWS_VERIFY_SAMPLES_H
#define PM_SUBMIT_ROWS_VERIFY_SAMPLES_H

#include "db/db.h"

#include <stdint.h>

/* Receives a fault: the row, what it has, what it should have. Returns 0, or -1 with e filled to
 * stop. */
typedef int pm_verify_samples_fn(void *ctx, const char *what, const char *stored,
				 const char *expected, struct pm_err *e);

/* Check the samples of a job. Calls `each` for every fault. Returns 0, or -1 with e filled or if
 * `each` does. */
int pm_verify_samples(struct pm_db *db, int64_t job, pm_verify_samples_fn *each, void *ctx,
		      struct pm_err *e);

#endif
