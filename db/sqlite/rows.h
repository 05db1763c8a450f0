/* pm_db_insert of the SQLite engine: rows in batches, written by a thread. */
#ifndef PM_DB_SQLITE_ROWS_H
#define PM_DB_SQLITE_ROWS_H

#include "db/sqlite/handle.h"

/* As pm_db_insert (db.h). */
int pm_sqlite_rows_insert(struct pm_db *db, const struct pm_schema_table *t, bool first,
			  struct pm_stmt **out, struct pm_err *e);

/*
 * Write all buffered rows; afterwards the caller alone uses the handle. Call this before any use of
 * the handle. Returns 0, or -1 with e filled and errno set, every time until pm_sqlite_rows_drop.
 */
int pm_sqlite_rows_settle(struct pm_db *db, struct pm_err *e);

/* Enforce foreign keys from now on, after pm_sqlite_rows_settle: rows that are inserted turn that
 * off. What deletes rows needs it, unless the caller has turned it off. */
void pm_sqlite_rows_keyed(struct pm_db *db);

/* Drop the buffered rows, before a rollback. */
void pm_sqlite_rows_drop(struct pm_db *db);

/* Free everything, before the handle is closed. */
void pm_sqlite_rows_free(struct pm_db *db);

#endif
