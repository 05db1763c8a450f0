/* SQLite, for the files of its engine alone: nobody else includes sqlite3.h. */
#ifndef PM_DB_SQLITE_HANDLE_H
#define PM_DB_SQLITE_HANDLE_H

#include "db/engine.h"
#include "db/sqlite_files.h"

#include <sqlite3.h>
#include <stdbool.h>

struct pm_sqlite {
	struct pm_db head;
	sqlite3 *handle;
	struct pm_sqlite_rows *rows; /* NULL until the first pm_db_insert */
	int patience_ms, waited_ms;  /* for others: at most, and now */
	struct pm_sqlite_opened opened;
};

static inline struct pm_sqlite *pm_sqlite_of(struct pm_db *db)
{
	return (struct pm_sqlite *)db;
}

/* Fill e with what SQLite says of its result `rc`, and note the failure. errno becomes that of the
 * system call where one failed. Returns -1. */
int pm_sqlite_fail(struct pm_db *db, int rc, struct pm_err *e);

/* From now on wait so long, ms, for others that hold the database, and say for whom. */
void pm_sqlite_wait(struct pm_db *db, int ms);

#endif
