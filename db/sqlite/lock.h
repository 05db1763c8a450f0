/* Find the process that is writing to an SQLite database. */
#ifndef PM_DB_SQLITE_LOCK_H
#define PM_DB_SQLITE_LOCK_H

/* Pid of the process on this host that holds the write lock of a database, 0 if unknown. Opens no
 * file of the database. */
long pm_sqlite_lock_holder(const char *database);

#endif
