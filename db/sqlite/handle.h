/* SQLite, for the files of its engine alone: no other file includes sqlite3.h. */
#ifndef PM_DB_SQLITE_HANDLE_H
#define PM_DB_SQLITE_HANDLE_H

#include "db/engine.h"
#include "db/sqlite/files.h"
#include "db/sqlite/idle.h"

#include <sqlite3.h>
#include <stdbool.h>

struct pm_sqlite {
	struct pm_db head;
	sqlite3 *handle;
	struct pm_sqlite_rows *rows; /* NULL until the first pm_db_insert */
	bool begun;                  /* a transaction: SQLite may have rolled it back by itself */
	bool unkeyed;                /* foreign keys are not enforced now */
	bool unfollowed;             /* nor may they be: the caller changes tables */
	bool fresh;                  /* see pm_sqlite_journal_large */
	bool log_waits;              /* see pm_sqlite_journal_committed */
	int patience_ms, waited_ms;  /* for other processes: at most, and so far */
	struct pm_sqlite_opened opened;
	struct pm_sqlite_idle idle;
	bool guarded; /* see pm_sqlite_guard */
};

static inline struct pm_sqlite *pm_sqlite_of(struct pm_db *db)
{
	return (struct pm_sqlite *)db;
}

/* Fill e with SQLite's message about its result `rc`, and note the failure. Sets errno, to that of
 * the system call if one failed. Returns -1. */
int pm_sqlite_fail(struct pm_db *db, int rc, struct pm_err *e);

/* Check that a transaction that was begun is still there: without it, each statement would commit
 * by itself. Returns 0, or -1 with e filled. */
int pm_sqlite_check_begun(struct pm_db *db, struct pm_err *e);

/* From now on wait at most `ms` for other processes that hold the database, and report the wait. */
void pm_sqlite_wait(struct pm_db *db, int ms);

#endif
