/*
 * Pages of a load that it changes again much later, kept in SQLite's cache: by the thread that
 * writes rows. A page that left for the log and is changed again takes its old place there, and at
 * the end SQLite reads the log from that place on to make its checksums anew. Programs only.
 */
#ifndef PM_DB_SQLITE_WARM_H
#define PM_DB_SQLITE_WARM_H

#include "db/rowbatch.h"
#include "db/sqlite_handle.h"

/* Where rows of a job go in a table. All zero: nowhere. */
struct pm_sqlite_warm {
	sqlite3_stmt *first, *behind;
	bool by_key;        /* rows are numbered by their second column, else by SQLite */
	int64_t job;        /* whose rows were written last */
	int64_t from, last; /* numbers of rows: where those of this load begin and end */
};

/* Begin for a table of rows in bulk; for others there is nothing to do. Returns what SQLite says;
 * whatever that is, pm_sqlite_warm_free frees. */
int pm_sqlite_warm_prepare(struct pm_sqlite_warm *w, sqlite3 *handle,
			   const struct pm_schema_table *t);
void pm_sqlite_warm_free(struct pm_sqlite_warm *w);

/* Note where a batch went, just now. */
void pm_sqlite_warm_note(struct pm_sqlite_warm *w, const struct pm_rowbatch *b);

/* Read what of a job is to stay. Returns SQLITE_OK or what went wrong: the transaction is over
 * then, as after any error of input or output. */
int pm_sqlite_warm_read(const struct pm_sqlite_warm *w, int64_t job);

#endif
