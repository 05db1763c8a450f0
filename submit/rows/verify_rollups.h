/* Consistency check of totals: of a job's programs, tags and series, and of users by day. */
#ifndef PM_SUBMIT_ROWS_VERIFY_ROLLUPS_H
#define PM_SUBMIT_ROWS_VERIFY_ROLLUPS_H

#include "db/db.h"
#include "db/tagsums.h"

#include <stdint.h>

/* Receives a fault: the row, what it has, what it should have. Returns 0, or -1 with e filled to
 * stop. */
typedef int pm_verify_rollups_fn(void *ctx, const char *what, const char *stored,
				 const char *expected, struct pm_err *e);

/* Compute the programs of a job again, from its processes. Calls `each` for every column that
 * differs, and for rows that are missing or too many. Returns 0, or -1 with e filled or if `each`
 * does. */
int pm_verify_programs(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		       struct pm_err *e);

/* Compare what the programs of a job add up to with the job's row, where its processes are gone.
 * Returns the same. */
int pm_verify_program_sums(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
			   struct pm_err *e);

/* verify_tagsums.c: compute the totals of a job's sets of tags again; `all` gets those of all its
 * processes. Returns the same. */
int pm_verify_tagsums(struct pm_db *db, int64_t job, struct pm_knownsum all[PM_TAGSUM_FIGURES],
		      pm_verify_rollups_fn *each, void *ctx, struct pm_err *e);

/* Add up the blocks of a job's series again. Returns the same. */
int pm_verify_series(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e);

/* Compute the totals of users by day again, from all jobs. Returns the same. */
int pm_verify_days(struct pm_db *db, pm_verify_rollups_fn *each, void *ctx, struct pm_err *e);

#endif
