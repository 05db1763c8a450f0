/* Taking jobs out of a database, by the tables of the schema. Programs only. */
#ifndef PM_ERASE_H
#define PM_ERASE_H

#include "db/db.h"

/*
 * Delete every row of a job, inside the caller's transaction. Returns 1, 0 where there is no such
 * job, or -1 with e filled.
 */
int pm_erase_job(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Delete the detail of a job: processes with their threads, counters and tags, series and samples,
 * the content of its files. The job's row with its summary, its hosts and what was counted of each,
 * its own tags, annotations, files and rejected lines stay. Inside the caller's transaction;
 * returns as pm_erase_job.
 */
int pm_erase_detail(struct pm_db *db, int64_t job, struct pm_err *e);

/* Keep loads of a job waiting until the caller's transaction ends. Returns as pm_erase_job. */
int pm_erase_lock(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * As pm_erase_job, or with `detail` as pm_erase_detail, but of a job that takes longer than until a
 * time, by pm_now_monotonic_us, only as much as can be deleted by then: returns 2, and the rest is
 * for another transaction. Meanwhile its row is there, and no row points to one that is gone.
 */
int pm_erase_part(struct pm_db *db, int64_t job, bool detail, int64_t until_us, struct pm_err *e);

/*
 * Make the database as empty as a new one, in one transaction. What others added to it, tables of
 * their own and views of ours, stays. Returns 0 or -1 with e filled and the database as it was.
 */
int pm_erase_all(struct pm_db *db, struct pm_err *e);

#endif
