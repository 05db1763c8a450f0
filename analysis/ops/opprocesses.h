/* The processes of operations, one by one. */
#ifndef PM_ANALYSIS_OPS_OPPROCESSES_H
#define PM_ANALYSIS_OPS_OPPROCESSES_H

#include "analysis/select/opselect.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of a row, of tables process, host and job. */
enum pm_opprocess_at {
	PM_OPPROCESS_JOB,
	PM_OPPROCESS_ID,
	PM_OPPROCESS_SET,
	PM_OPPROCESS_PARENT_SET,
	PM_OPPROCESS_JOBID,
	PM_OPPROCESS_PID,
	PM_OPPROCESS_HOST,
	PM_OPPROCESS_START,
	PM_OPPROCESS_END,
	PM_OPPROCESS_DURATION,
	PM_OPPROCESS_CPU,
	PM_OPPROCESS_INCLUSIVE,
	PM_OPPROCESS_JOB_START,
	PM_OPPROCESS_EXENAME,
	PM_OPPROCESS_ARGS,
};

/* Jobs at once: their numbers are part of one statement, which has a largest length. */
#define PM_OPPROCESSES_JOBS 20000

/*
 * Find the processes of operations; roots: those alone whose parent is not of the operation, in the
 * order of the tree, else all of them by their start, those of an unknown start at the end.
 * each(ctx, q, key) is called for each operation of each with a row of the columns above, up to
 * `limit` times. jobs are ids that rise. Returns 0, or -1 with e filled, also where `each` returned
 * -1.
 */
int pm_opprocesses_find(struct pm_db *db, const int64_t *job, size_t jobs,
			const struct pm_opselect *select, bool roots, int64_t limit,
			int (*each)(void *ctx, struct pm_stmt *q, const char *key,
				    struct pm_err *e),
			void *ctx, struct pm_err *e);

#endif
