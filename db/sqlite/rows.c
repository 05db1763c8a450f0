/*
 * Rows for pm_db_insert: a statement per table reads batches of rows as a virtual table, which
 * takes a third of the time of binding and running an INSERT per row. A thread writes batches while
 * the caller fills the next.
 */
#include "config.h"

#include "db/sqlite/rows.h"

#include "common/memtext.h"
#include "db/rowfeed.h"
#include "db/sqlite/rowtable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows for one table. */
struct inserter {
	struct pm_stmt head;
	sqlite3_stmt *handle;
	const struct pm_schema_table *table;
	bool first;
	struct pm_rowbatch *batch; /* being filled, NULL for none */
	int keys;                  /* see struct pm_rowbatch */
	int failed;                /* errno of the first failure of a bind, or 0 */
	struct inserter *next;
};

/*
 * While `feeding` is set, the feed's thread may use SQLite's handle, its `unkeyed` and `reading`,
 * until pm_sqlite_rows_settle. All else is the caller's alone.
 */
struct pm_sqlite_rows {
	struct pm_sqlite *db;
	struct inserter *inserter; /* one per table, kept until close */
	struct pm_rowfeed *feed;
	bool feeding;
	const struct pm_rowbatch *reading; /* the batch that a statement reads now */
};

/* Turn the enforcement of foreign keys on or off. Unlike the pragma this works inside a
 * transaction. */
static void enforce_keys(struct pm_sqlite_rows *r, bool look)
{
	if (r->db->unkeyed == !look)
		return;
	sqlite3_db_config(r->db->handle, SQLITE_DBCONFIG_ENABLE_FKEY, (int)look, NULL);
	r->db->unkeyed = !look;
}

/* Write a batch, for the feed. Foreign keys are not enforced: the loader has numbered the parents
 * of the rows itself, and looking them up would take as long as everything else. They stay so until
 * pm_sqlite_rows_keyed(), since each change makes SQLite compile all statements again. */
static int write_batch(void *ctx, struct pm_rowbatch *b, struct pm_err *e)
{
	struct pm_sqlite_rows *r = ctx;
	struct inserter *q = b->owner;
	int rc;

	if (pm_sqlite_check_begun(&r->db->head, e) < 0)
		return -1;
	r->reading = b;
	enforce_keys(r, false);
	rc = sqlite3_step(q->handle);
	rc = rc == SQLITE_DONE ? 0 : pm_sqlite_fail(&r->db->head, rc, e);
	/* sqlite3_reset repeats the result of the step. */
	sqlite3_reset(q->handle);
	r->reading = NULL;
	return rc;
}

int pm_sqlite_rows_settle(struct pm_db *db, struct pm_err *e)
{
	struct pm_sqlite_rows *r = pm_sqlite_of(db)->rows;
	int rc, error;

	if (!r || !r->feeding)
		return 0;
	for (struct inserter *q = r->inserter; q; q = q->next) {
		if (q->batch) {
			pm_rowbatch_sort(q->batch);
			pm_rowfeed_last(r->feed, q->batch);
		}
		q->batch = NULL;
	}
	rc = pm_rowfeed_wait(r->feed, e);
	error = errno;
	r->feeding = rc < 0;
	errno = error;
	return rc;
}

void pm_sqlite_rows_drop(struct pm_db *db)
{
	struct pm_sqlite_rows *r = pm_sqlite_of(db)->rows;

	if (!r)
		return;
	for (struct inserter *q = r->inserter; q; q = q->next) {
		if (q->batch)
			pm_rowfeed_return(r->feed, q->batch);
		q->batch = NULL;
	}
	pm_rowfeed_drop(r->feed);
	r->feeding = false;
}

void pm_sqlite_rows_keyed(struct pm_db *db)
{
	struct pm_sqlite_rows *r = pm_sqlite_of(db)->rows;

	if (r && !r->feeding && !r->db->unfollowed)
		enforce_keys(r, true);
}

void pm_sqlite_rows_free(struct pm_db *db)
{
	struct pm_sqlite_rows *r = pm_sqlite_of(db)->rows;

	if (!r)
		return;
	pm_sqlite_rows_drop(db);
	pm_rowfeed_free(r->feed);
	for (struct inserter *q = r->inserter, *next; q; q = next) {
		next = q->next;
		sqlite3_finalize(q->handle);
		free(q);
	}
	free(r);
	pm_sqlite_of(db)->rows = NULL;
}

static struct inserter *inserter_of(struct pm_stmt *q)
{
	return (struct inserter *)q;
}

/* The batch for the next value, NULL after a failure. */
static struct pm_rowbatch *batch_of(struct pm_stmt *head)
{
	struct inserter *q = inserter_of(head);
	struct pm_sqlite_rows *r = pm_sqlite_of(head->db)->rows;

	if (!q->batch && !q->failed) {
		q->batch = pm_rowfeed_get(r->feed, (int)q->table->columns, NULL);
		if (!q->batch) {
			q->failed = ENOMEM;
		} else {
			q->batch->owner = q;
			q->batch->keys = q->keys;
		}
		r->feeding = true;
	}
	return q->batch;
}

/* The batch for a value of this type, NULL if the column has another type: tables that are not
 * STRICT would accept the value. */
static struct pm_rowbatch *batch_for(struct pm_stmt *head, int i, enum pm_db_type type)
{
	/* By enum pm_schema_type. */
	static const enum pm_db_type takes[] = {
		[PM_SCHEMA_INTEGER] = PM_DB_INTEGER, [PM_SCHEMA_REAL] = PM_DB_REAL,
		[PM_SCHEMA_TEXT] = PM_DB_TEXT,       [PM_SCHEMA_BLOB] = PM_DB_BLOB,
		[PM_SCHEMA_ID] = PM_DB_INTEGER,
	};
	struct inserter *q = inserter_of(head);

	if (i < 1 || (size_t)i > q->table->columns || takes[q->table->column[i - 1].type] != type) {
		if (!q->failed)
			q->failed = EINVAL;
		return NULL;
	}
	return batch_of(head);
}

static void inserter_int(struct pm_stmt *q, int i, int64_t v)
{
	struct pm_rowbatch *b = batch_for(q, i, PM_DB_INTEGER);

	if (b)
		pm_rowbatch_int(b, i - 1, v);
}

static void inserter_real(struct pm_stmt *q, int i, double v)
{
	struct pm_rowbatch *b = batch_for(q, i, PM_DB_REAL);

	if (b)
		pm_rowbatch_real(b, i - 1, v);
}

static void inserter_set(struct pm_stmt *q, int i, enum pm_db_type type, const void *p, size_t n)
{
	struct pm_rowbatch *b = type == PM_DB_NULL ? batch_of(q) : batch_for(q, i, type);

	if (b && pm_rowbatch_set(b, i - 1, type, p, n) < 0 && !inserter_of(q)->failed)
		inserter_of(q)->failed = errno;
}

static void inserter_text(struct pm_stmt *q, int i, const char *p, size_t n)
{
	inserter_set(q, i, PM_DB_TEXT, p, n);
}

static void inserter_blob(struct pm_stmt *q, int i, const void *p, size_t n)
{
	inserter_set(q, i, PM_DB_BLOB, p, n);
}

static void inserter_null(struct pm_stmt *q, int i)
{
	inserter_set(q, i, PM_DB_NULL, NULL, 0);
}

static int inserter_step(struct pm_stmt *head, struct pm_err *e)
{
	struct pm_sqlite_rows *r = pm_sqlite_of(head->db)->rows;
	struct inserter *q = inserter_of(head);
	struct pm_rowbatch *b = batch_of(head);

	if (q->failed) {
		errno = q->failed;
		if (!head->db->failure)
			head->db->failure = errno;
		return pm_err(e, "%m");
	}
	if (!pm_rowbatch_add(b))
		return 0;
	q->batch = NULL;
	pm_rowbatch_sort(b);
	return pm_rowfeed_give(r->feed, b, e);
}

/* After a failed bind, begin the row again. */
static void inserter_reset(struct pm_stmt *head)
{
	struct inserter *q = inserter_of(head);

	if (q->batch && q->failed)
		pm_rowbatch_clear(q->batch);
	q->failed = 0;
}

/* The inserter stays until close: its rows may be queued. The last rows of a large job are queued
 * now, before rows of other tables push the pages that they change out of the cache;
 * pm_sqlite_rows_settle reports their errors. */
static void inserter_finish(struct pm_stmt *head)
{
	struct inserter *q = inserter_of(head);
	struct pm_rowfeed *feed = pm_sqlite_of(head->db)->rows->feed;
	struct pm_rowbatch *b = q->batch;

	inserter_reset(head);
	if (!b || !pm_rowfeed_started(feed))
		return;
	q->batch = NULL;
	pm_rowbatch_sort(b);
	pm_rowfeed_give(feed, b, NULL);
}

static const struct pm_db_engine inserting = {
	.dialect = PM_DIALECT_SQLITE,
	.bind_int = inserter_int,
	.bind_real = inserter_real,
	.bind_text = inserter_text,
	.bind_blob = inserter_blob,
	.bind_null = inserter_null,
	.step = inserter_step,
	.reset = inserter_reset,
	.finish = inserter_finish,
};

/* INSERT OR FAIL INTO t (...) SELECT c0, ... FROM perfmon_rows. Because of OR FAIL, SQLite writes
 * no statement journal, a file with a copy of each changed page to roll back the statement alone.
 * So a failure costs the whole transaction. Returns a text to be freed or NULL. */
static char *insert_text(const struct pm_schema_table *t, bool first)
{
	char *sql = NULL, *columns = pm_schema_columns(t);
	size_t n;
	FILE *out = columns ? open_memstream(&sql, &n) : NULL;

	if (out) {
		fprintf(out, "INSERT OR FAIL INTO %s (%s) SELECT c0", t->name, columns);
		for (size_t i = 1; i < t->columns; i++)
			fprintf(out, ", c%zu", i);
		fprintf(out, " FROM " PM_ROWTABLE "%s",
			first ? " WHERE true ON CONFLICT DO NOTHING" : "");
		pm_memtext_end(out, &sql);
	}
	free(columns);
	return sql;
}

/* The state of inserts, created at first use; NULL with e filled. */
static struct pm_sqlite_rows *rows_of(struct pm_sqlite *s, struct pm_err *e)
{
	struct pm_sqlite_rows *r = s->rows;
	int rc;

	if (r)
		return r;
	r = calloc(1, sizeof *r);
	if (!r || !(r->feed = pm_rowfeed_new(write_batch, r))) {
		free(r);
		pm_err(e, "out of memory");
		return NULL;
	}
	r->db = s;
	s->rows = r;
	rc = pm_rowtable_create(s->handle, &r->reading);
	if (rc == SQLITE_OK)
		return r;
	pm_sqlite_fail(&s->head, rc, e);
	pm_sqlite_rows_free(&s->head);
	return NULL;
}

/* Number of columns of the primary key; 0 if they are not the table's first columns. */
static int keys_of(const struct pm_schema_table *t)
{
	static const char primary[] = "PRIMARY KEY (";
	const char *p = t->keys + sizeof primary - 1;
	int n = 0;

	if (strncmp(t->keys, primary, sizeof primary - 1) != 0)
		return 0;
	for (;; p += 2) {
		size_t len = strcspn(p, ",)");

		if (strlen(t->column[n].name) != len || memcmp(p, t->column[n].name, len) != 0)
			return 0;
		n++;
		p += len;
		if (*p != ',')
			return n;
	}
}

int pm_sqlite_rows_insert(struct pm_db *db, const struct pm_schema_table *t, bool first,
			  struct pm_stmt **out, struct pm_err *e)
{
	struct pm_sqlite_rows *r = rows_of(pm_sqlite_of(db), e);
	struct inserter *q, **end;
	char *sql;
	int rc;

	if (!r)
		return -1;
	for (end = &r->inserter; *end; end = &(*end)->next) {
		if ((*end)->table != t || (*end)->first != first)
			continue;
		*out = &(*end)->head;
		return 0;
	}
	if (pm_sqlite_rows_settle(db, e) < 0)
		return -1;
	q = calloc(1, sizeof *q);
	sql = insert_text(t, first);
	if (!q || !sql) {
		free(q);
		free(sql);
		return pm_err(e, "out of memory");
	}
	rc = sqlite3_prepare_v3(r->db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &q->handle,
				NULL);
	free(sql);
	if (rc != SQLITE_OK) {
		sqlite3_finalize(q->handle);
		free(q);
		return pm_sqlite_fail(db, rc, e);
	}
	q->head.engine = &inserting;
	q->head.db = db;
	q->table = t;
	q->first = first;
	q->keys = keys_of(t);
	*end = q;
	*out = &q->head;
	return 0;
}
