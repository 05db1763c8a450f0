/* Verify a load by queries before a source is removed. */
#ifndef PM_SUBMIT_ROWS_SHOWN_H
#define PM_SUBMIT_ROWS_SHOWN_H

#include "db/db.h"
#include "submit/job/gather.h"

/*
 * Show by queries that the database has each accepted line of the gathered files: the stored
 * content contains the lines, and each process in them has its row and its threads' rows. Returns
 * 0, or -1 with e filled: something is missing, or a query failed.
 */
int pm_shown_job(struct pm_db *db, int64_t job, struct pm_gather *g, struct pm_filecontent *keep,
		 struct pm_err *e);

#endif
