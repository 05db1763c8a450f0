/* The files of SQLite databases: their names, and which are open in this process. */
#ifndef PM_DB_SQLITE_FILES_H
#define PM_DB_SQLITE_FILES_H

#include <stdbool.h>

/* Files that SQLite keeps beside a database (https://sqlite.org/tempfiles.html). */
enum pm_sqlite_beside {
	PM_SQLITE_LOG,     /* write-ahead log of WAL mode */
	PM_SQLITE_INDEX,   /* shared-memory index of that log, which holds the locks of WAL mode */
	PM_SQLITE_JOURNAL, /* rollback journal */
	PM_SQLITE_BESIDE,
};

/* The path of a file beside a database, to be freed; NULL if out of memory. */
char *pm_sqlite_files_beside(const char *database, enum pm_sqlite_beside which);

/* The suffix in the path of a file beside a database; NULL for any other path. */
const char *pm_sqlite_files_ending(const char *path);

/* Whether the log beside the database at `path` may have commits that the database itself lacks. */
bool pm_sqlite_files_has_log(const char *path);

/* A database that this process has open. */
struct pm_sqlite_opened {
	const char *path; /* resolved path, "" or NULL if it has no file; memory of SQLite's */
	struct pm_sqlite_opened *next;
};

/* Add an open database to the list, and remove it before its handle is closed. Removing one that
 * was never added does nothing. */
void pm_sqlite_files_opened(struct pm_sqlite_opened *s, const char *path);
void pm_sqlite_files_closed(struct pm_sqlite_opened *s);

#endif
