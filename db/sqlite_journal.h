/* Which journal an SQLite database has. */
#ifndef PM_DB_SQLITE_JOURNAL_H
#define PM_DB_SQLITE_JOURNAL_H

#include "db/db.h"

#include <stdbool.h>

/*
 * Give a database that was opened to be written the journal that its file system can have: a new
 * one on a local file system a write-ahead log. One that is there keeps what it has, but for a log
 * that hosts cannot share. With `sure` what is committed survives a loss of power. Others are waited
 * for at most so long, ms. Returns 0 or -1 with e filled.
 */
int pm_sqlite_journal_set(struct pm_db *db, const char *path, bool sure, int wait_ms,
			  struct pm_err *e);

#endif
