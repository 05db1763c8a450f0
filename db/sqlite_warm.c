/*
 * Which pages these are: of every table the job's first ones, since the root of a tree of processes
 * is written last; and the inner ones beside the path to the last row, with which a full one shares
 * what it has. How many rows they are away depends on the rows' size: all that there are, two
 * thirds of that and so on; as a full page stands beside one that is at least half full, below each
 * there is one of these.
 */
#include "config.h"

#include "db/sqlite_warm.h"

#include <stdio.h>

/* Rows as near as this are in the cache by themselves. */
#define NEAR 1024

int pm_sqlite_warm_prepare(struct pm_sqlite_warm *w, sqlite3 *handle,
			   const struct pm_schema_table *t)
{
	char sql[192];
	int rc;

	if (!t->bulk)
		return SQLITE_OK;
	snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE job_id = ?", t->name);
	rc = sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &w->first, NULL);
	if (rc != SQLITE_OK)
		return rc;
	w->by_key = t->narrow;
	if (t->narrow)
		snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE job_id = ?1 AND %s >= ?2",
			 t->name, t->column[1].name);
	else
		snprintf(sql, sizeof sql, "SELECT ?1 FROM %s WHERE rowid = ?2", t->name);
	return sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &w->behind, NULL);
}

void pm_sqlite_warm_free(struct pm_sqlite_warm *w)
{
	sqlite3_finalize(w->first);
	sqlite3_finalize(w->behind);
}

void pm_sqlite_warm_note(struct pm_sqlite_warm *w, const struct pm_rowbatch *b)
{
	const struct pm_rowcell *row;

	if (!w->behind || b->rows == 0)
		return;
	row = b->cell + b->order[b->rows - 1] * (size_t)b->columns;
	w->last = w->by_key ? row[1].i : sqlite3_last_insert_rowid(sqlite3_db_handle(w->behind));
	if (w->job != row[0].i)
		w->from = w->last;
	w->job = row[0].i;
}

/* Run a query for the pages that it reads. Returns SQLITE_OK or what went wrong. */
static int look(sqlite3_stmt *q)
{
	sqlite3_step(q);
	return sqlite3_reset(q);
}

int pm_sqlite_warm_read(const struct pm_sqlite_warm *w, int64_t job)
{
	int rc;

	if (!w->behind)
		return SQLITE_OK;
	sqlite3_bind_int64(w->first, 1, job);
	rc = look(w->first);
	if (job != w->job)
		return rc;
	sqlite3_bind_int64(w->behind, 1, w->job);
	for (int64_t far = w->last - w->from; rc == SQLITE_OK && far >= NEAR; far -= far / 3) {
		sqlite3_bind_int64(w->behind, 2, w->last - far);
		rc = look(w->behind);
	}
	return rc;
}
