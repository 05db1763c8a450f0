/* A batch of rows as a virtual table, which statements read in place of bound values. */
#ifndef PM_DB_SQLITE_ROWTABLE_H
#define PM_DB_SQLITE_ROWTABLE_H

#include "db/rowfeed.h"

#include <sqlite3.h>

/* Name of the table; column i of a batch is its column c<i>. */
#define PM_ROWTABLE "perfmon_rows"

/* Give a connection this table. Each query reads the batch that *reading is when it begins. Returns
 * a result code of SQLite. */
int pm_rowtable_create(sqlite3 *handle, const struct pm_rowbatch *const *reading);

#endif
