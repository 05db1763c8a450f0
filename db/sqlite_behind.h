/* SQLite's writes of large jobs, made by a thread beside it. */
#ifndef PM_DB_SQLITE_BEHIND_H
#define PM_DB_SQLITE_BEHIND_H

/* The name of a file system for SQLite, NULL for its usual one where there is no memory. */
const char *pm_sqlite_behind_vfs(void);

#endif
