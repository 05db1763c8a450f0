/* Work on many jobs at once, each over a connection to the database of its thread's own. */
#ifndef PM_ANALYSIS_OPS_EACHJOB_H
#define PM_ANALYSIS_OPS_EACHJOB_H

#include "common/err.h"
#include "db/db.h"

#include <stddef.h>

/* Connections to one database, at most. */
#define PM_EACHJOB_MOST 8

/*
 * Say how many connections are worth it for so many jobs: no more than CPUs that this process may
 * use, nor than `most`, and 1 for few jobs.
 */
size_t pm_eachjob_connections(size_t jobs, size_t most);

/*
 * Call work(ctx[k], db[k], i) once for each i below `jobs`, in rising order for each k, and for no
 * k twice at a time: in n threads, the caller's among them, or in fewer where none can be created.
 * Returns 0, or -1 with e filled as soon as a call returned -1.
 */
int pm_eachjob(struct pm_db *const *db, size_t n, size_t jobs,
	       int (*work)(void *ctx, struct pm_db *db, size_t i, struct pm_err *e),
	       void *const *ctx, struct pm_err *e);

#endif
