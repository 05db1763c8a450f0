/* perfmon migrate --check. */
#ifndef PM_MANAGE_MIGRATE_CHECK_H
#define PM_MANAGE_MIGRATE_CHECK_H

#include "db/db.h"

/*
 * Print what an upgrade of a database, opened with PM_DB_LOOK by that setting, would do, and what
 * room and time it needs, as text or JSON. Returns 0 where it can be upgraded or needs it not, 1
 * with the reasons told where it cannot, or -1 with e filled.
 */
int pm_migrate_check(struct pm_db *db, const char *setting, bool json, struct pm_err *e);

#endif
