/* Hosts of one job that do not agree when it began. */
#ifndef PM_NEARBY_H
#define PM_NEARBY_H

#include "db/db.h"
#include "submit/gather.h"
#include "submit/meta.h"

/*
 * Inside a transaction. Where the batch system does not say when a job began, each host says when
 * it did there. If the database has a job of the same cluster, user, id, array task and restart
 * count that ran at about that time, and no other recording of one of these hosts, they are one:
 * *id gets the earlier of both times, and so does the job in the database. Returns 0 or -1 with e
 * filled.
 */
int pm_nearby_adopt(struct pm_db *db, const struct pm_gather *g, struct pm_meta *id,
		    struct pm_err *e);

/* The number of that job, with its epoch in *epoch; 0 for none, or -1 with e filled. Nothing is
 * changed. */
int64_t pm_nearby_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		       int64_t *epoch, struct pm_err *e);

#endif
