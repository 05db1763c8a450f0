/* Match hosts of one job that recorded different epochs. */
#ifndef PM_SUBMIT_EPOCH_H
#define PM_SUBMIT_EPOCH_H

#include "db/userdays.h"
#include "submit/job/gather.h"
#include "submit/job/meta.h"

/*
 * Adopt the epoch of the same job in the database; call inside a transaction. If the batch system
 * does not tell a job's start, each host records its own. If the database has a job of the same
 * cluster, user, id, array task and restart count that ran at about that time, and no other
 * recording of one of these hosts, the two are one job: both *id and the job in the database get
 * the earlier epoch; `days` notes what the job counts for. Returns 0 or -1 with e filled.
 */
int pm_epoch_adopt(struct pm_db *db, const struct pm_gather *g, struct pm_meta *id,
		   struct pm_userdays *days, struct pm_err *e);

/* Find that job without changing anything. Returns its row id, with its epoch in *epoch; 0 if there
 * is none, or -1 with e filled. */
int64_t pm_epoch_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		      int64_t *epoch, struct pm_err *e);

#endif
