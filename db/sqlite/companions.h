/* The files that SQLite makes beside a database. */
#ifndef PM_DB_SQLITE_COMPANIONS_H
#define PM_DB_SQLITE_COMPANIONS_H

/* Make SQLite in this process create the files beside a database (-wal, -shm, -journal) with the
 * mode and the group of the database. More than one call is fine. */
void pm_sqlite_beside_share(void);

#endif
