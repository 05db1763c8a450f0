/* PostgreSQL's advisory locks, by name. */
#ifndef PM_DB_POSTGRES_LOCK_H
#define PM_DB_POSTGRES_LOCK_H

#include "common/err.h"
#include "db/db.h"

/*
 * Lock a name until the transaction ends, as pm_db_lock. Waits up to the session's lock_timeout for
 * a lock holder in any session of the database, and reports the wait; at_most_ms is that timeout.
 * Returns 0 or -1 with e filled.
 */
int pm_pglock_take(struct pm_db *db, const char *name, int at_most_ms, struct pm_err *e);

#endif
