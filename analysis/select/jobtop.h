/* The first few of all jobs in the order of a figure, without a look at all of them. */
#ifndef PM_ANALYSIS_SELECT_JOBTOP_H
#define PM_ANALYSIS_SELECT_JOBTOP_H

#include "analysis/select/jobfilter.h"
#include "common/err.h"
#include "db/db.h"

/*
 * Where a filter selects all jobs in the order of a figure of which the database has bounds
 * (pm_db_has_zones()), add the condition that a job is not behind the n-th in that order. Returns
 * 0, also where nothing was added, or -1 with e filled.
 */
int pm_jobtop_narrow(struct pm_jobfilter *f, struct pm_db *db, int64_t n, struct pm_err *e);

#endif
