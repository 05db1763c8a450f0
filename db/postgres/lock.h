/* Locks of PostgreSQL that stand for a name. */
#ifndef PM_DB_PGLOCK_H
#define PM_DB_PGLOCK_H

#include "common/err.h"
#include "db/db.h"

/*
 * Lock a name until the transaction ends, as pm_db_lock. Who else has it, in any session of the
 * database, is waited for as long as the session's lock_timeout says, and that is said: at_most_ms.
 * Returns 0 or -1 with e filled.
 */
int pm_pglock_take(struct pm_db *db, const char *name, int at_most_ms, struct pm_err *e);

#endif
