/* Copy jobs between databases of any engine. */
#ifndef PM_DB_COPY_H
#define PM_DB_COPY_H

#include "db/db.h"

enum pm_copy_state {
	PM_COPY_NEW,      /* the target did not have the job */
	PM_COPY_REPLACED, /* the job replaced an older copy */
	PM_COPY_THERE,    /* the target has a job of the same identity: nothing was done */
	PM_COPY_GONE,     /* the job was deleted from the source meanwhile */
};

/*
 * Copy every row of a job, in one transaction of `to`. The job gets a new number there. Cluster,
 * user, job id, array task, restart count and epoch identify the job: if `to` has it already, the
 * old copy stays, or with `replace` gives its number to the new one. With `dry` nothing is written,
 * and `to` may be NULL for a database that does not exist yet. *state gets what became, or would
 * become, of the job. Returns 0, or -1 with e filled and `to` as it was.
 */
int pm_copy_job(struct pm_db *from, struct pm_db *to, int64_t job, bool replace, bool dry,
		enum pm_copy_state *state, struct pm_err *e);

#endif
