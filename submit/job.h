/* Which job of the database gathered files belong to, and what of it they replace. */
#ifndef PM_SUBMIT_JOB_H
#define PM_SUBMIT_JOB_H

#include "submit/db.h"
#include "submit/gather.h"
#include "submit/load.h"
#include "submit/write.h"

/*
 * Complete the identity of gathered files: the section job of the first metadata, made from the
 * records and the directory's name where there is none, the user by the owner of the files where
 * they are not to be trusted. Returns the metadata, owned by g, or NULL with e filled.
 */
struct pm_meta *pm_job_identity(struct pm_gather *g, struct pm_err *e);

/*
 * Inside a transaction: find the job of that identity, decide what to do, delete what is replaced
 * and write the job's row. *base gets where rows go, *state what is done; with PM_LOAD_UNCHANGED
 * nothing was written. Returns 0 or -1 with e filled.
 */
int pm_job_place(struct pm_db *db, struct pm_gather *g, const struct pm_meta *id,
		 struct pm_write_base *base, enum pm_load_state *state, struct pm_err *e);

#endif
