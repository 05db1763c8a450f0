/* Choose the journal of an SQLite database. */
#ifndef PM_DB_SQLITE_JOURNAL_H
#define PM_DB_SQLITE_JOURNAL_H

#include "db/engine.h"

#include <stdbool.h>

/*
 * Set the journal of a database opened for writing. PM_DB_JOURNAL_AUTO: a write-ahead log for a new
 * database on a local file system, else a rollback journal; an existing database keeps its journal,
 * except a log on a file system that hosts may share. With
 * `sure` commits survive a power failure. Waits for other processes at most so many ms. Returns 0
 * or -1 with e filled.
 */
int pm_sqlite_journal_set(struct pm_db *db, const char *path, enum pm_db_journal journal, bool sure,
			  int wait_ms, struct pm_err *e);

/*
 * Before a transaction that writes much: where this process made the database and nothing is in it
 * yet, choose a rollback journal for the transaction, if the file system's choice was a log. What
 * fails is left as it was.
 */
void pm_sqlite_journal_large(struct pm_db *db);

/* After a commit: set the log that pm_sqlite_journal_large() put off. While other processes use the
 * database, the next commit does it, or the next process that writes. */
void pm_sqlite_journal_committed(struct pm_db *db);

#endif
