/* Why an SQLite database cannot be used. */
#ifndef PM_DB_SQLITE_BLAME_H
#define PM_DB_SQLITE_BLAME_H

#include "common/err.h"

#include <stdbool.h>

/* Add to e what keeps this user from reading the database at `path`, or with `write` from writing
 * to it: a file beside it, or their directory. Without such a thing e stays. Keeps errno. */
void pm_sqlite_blame(const char *path, bool write, struct pm_err *e);

/* Add to e who holds the database, where that is to be told; what can be done about a damaged one.
 * Both keep errno. */
void pm_sqlite_blame_holder(const char *path, struct pm_err *e);
void pm_sqlite_blame_damage(const char *path, struct pm_err *e);

/* Whether the log beside the database at `path` may have what the database itself does not. */
bool pm_sqlite_blame_log(const char *path);

#endif
