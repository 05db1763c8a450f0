/* Jobs whose processes were deleted by intent: what their processes did is unknown, not none. */
#ifndef PM_ANALYSIS_SELECT_RETIRED_H
#define PM_ANALYSIS_SELECT_RETIRED_H

#include "analysis/select/jobfilter.h"
#include "common/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

/* Count the retired ones among the jobs that a filter selects, in any order. Returns 0, or -1 with
 * e filled. */
int pm_retired_count(struct pm_db *db, const struct pm_jobfilter *f, int64_t *retired,
		     struct pm_err *e);

/* The same among n jobs by their ids. */
int pm_retired_among(struct pm_db *db, const int64_t *id, size_t n, int64_t *retired,
		     struct pm_err *e);

#endif
