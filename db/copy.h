/* Jobs from one database to another, whichever engines have them. Programs only. */
#ifndef PM_COPY_H
#define PM_COPY_H

#include "db/db.h"

enum pm_copy_state {
	PM_COPY_NEW,      /* it was not there */
	PM_COPY_REPLACED, /* it is in place of what was there of it */
	PM_COPY_THERE,    /* a job of its identity is there already: nothing was done */
	PM_COPY_GONE,     /* another one deleted it meanwhile */
};

/*
 * Copy every row of a job, in one transaction of `to`. The job gets a number of its own there; its
 * cluster, user, id, array task, restart count and epoch say whether it is there already, and with
 * `replace` it goes in place of that, under its number. With `dry` nothing is written, and `to` may
 * be NULL for one that has nothing. *state gets what became, or would become, of it. Returns 0, or
 * -1 with e filled and `to` as it was.
 */
int pm_copy_job(struct pm_db *from, struct pm_db *to, int64_t job, bool replace, bool dry,
		enum pm_copy_state *state, struct pm_err *e);

#endif
