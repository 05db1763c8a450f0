/* The row of a job by its identity. */
#ifndef PM_DB_JOBROW_H
#define PM_DB_JOBROW_H

#include "common/job/jobidentity.h"
#include "db/db.h"

/*
 * Bind the parameters of PM_JOBIDENTITY_IS_ANY, the first of which is number `at`, or with no user
 * in `id` those of PM_JOBIDENTITY_IS_USERS. Returns the number of the next parameter.
 */
int pm_jobrow_bind(struct pm_stmt *q, int at, const struct pm_jobidentity *id);

/* Row id of the job with this identity, 0 if there is none, or -1 with e filled. */
int64_t pm_jobrow_find(struct pm_db *db, const struct pm_jobidentity *id, struct pm_err *e);

/* Keep others from annotating the job of a row until the caller's transaction ends. Returns 0 or -1
 * with e filled. */
int pm_jobrow_lock_notes(struct pm_db *db, int64_t job, struct pm_err *e);

#endif
