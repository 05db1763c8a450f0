/* SQLite's log to disk while it grows, not when all of it is waited for. */
#ifndef PM_DB_SQLITE_EARLY_H
#define PM_DB_SQLITE_EARLY_H

#include "db/sqlite_handle.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_sqlite_early {
	bool tried; /* to open it */
	int fd;     /* of the log, -1 for none */
	int64_t told;
};

/* Have the kernel begin to write what the log got since the last call; to be called now and then
 * while rows are written. Without a log nothing happens. */
void pm_sqlite_early(struct pm_sqlite_early *x, sqlite3 *handle);

/* Close what was opened, if anything: before the database. */
void pm_sqlite_early_end(struct pm_sqlite_early *x);

#endif
