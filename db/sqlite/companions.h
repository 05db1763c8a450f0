/* The files that SQLite makes beside a database. */
#ifndef PM_DB_SQLITE_BESIDE_H
#define PM_DB_SQLITE_BESIDE_H

/* From now on SQLite's files beside a database (-wal, -shm, -journal) have the mode and the group
 * of the database from their first moment. Of this process; more than once is fine. */
void pm_sqlite_beside_share(void);

#endif
