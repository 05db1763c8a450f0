/* Why an SQLite database cannot be used. */
#ifndef PM_DB_SQLITE_DIAGNOSE_H
#define PM_DB_SQLITE_DIAGNOSE_H

#include "common/err.h"

#include <stdbool.h>

/* Add to e the path that keeps this user from reading the database at `path`, or with `write` from
 * writing to it: the database, a file beside it, or their directory. Leaves e as it is if there is
 * none. Keeps errno. */
void pm_sqlite_diagnose_access(const char *path, bool write, struct pm_err *e);

/* Add to e the process that holds the database, if known; advice about a damaged database. Both
 * keep errno. */
void pm_sqlite_diagnose_holder(const char *path, struct pm_err *e);
void pm_sqlite_diagnose_damage(const char *path, struct pm_err *e);

#endif
