/* Who writes to an SQLite database now. */
#ifndef PM_DB_SQLITE_LOCK_H
#define PM_DB_SQLITE_LOCK_H

/* The process of this host that keeps others from writing to a database, 0 where that is not to be
 * told. No file of the database is opened. */
long pm_sqlite_lock_holder(const char *database);

#endif
