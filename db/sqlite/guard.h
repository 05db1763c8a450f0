/* Statements that may only read, and only for a time. */
#ifndef PM_DB_SQLITE_GUARD_H
#define PM_DB_SQLITE_GUARD_H

#include "db/engine.h"

/* As guard and unguard of struct pm_db_engine. */
int pm_sqlite_guard(struct pm_db *db, int64_t limit_ms, struct pm_err *e);
void pm_sqlite_unguard(struct pm_db *db);

#endif
