/* Verify a load by queries before a source is removed. Programs only. */
#ifndef PM_SHOWN_H
#define PM_SHOWN_H

#include "db/db.h"
#include "submit/gather.h"

/*
 * Show by queries that the database has each accepted line of the gathered files: that what it
 * keeps of the job's files holds them, and that each process in them has its row and rows of its
 * threads. Returns 0, or -1 with e filled: something is not there, or could not be looked for.
 */
int pm_shown_job(struct pm_db *db, int64_t job, const struct pm_gather *g, struct pm_keep *keep,
		 struct pm_err *e);

#endif
