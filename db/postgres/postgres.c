/*
 * The PostgreSQL engine. One connection runs one statement at a time: if another comes between, the
 * remaining rows of the first are parked. Rows of pm_db_insert are buffered per table and sent by
 * COPY.
 */
#include "config.h"

#include "db/engine.h"

#include "db/postgres/catalog.h"
#include "db/postgres/copyin.h"
#include "db/postgres/lock.h"
#include "db/postgres/param.h"
#include "db/postgres/prepared.h"
#include "db/postgres/wire.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pm_postgres_is(const char *setting)
{
	return setting &&
	       (strncmp(setting, "postgresql:", 11) == 0 || strncmp(setting, "postgres:", 9) == 0);
}

#ifdef HAVE_PQ

/* Longest wait for a lock, ms. */
#define LOCK_MS      600000
#define LOCK_SOON_MS 3000

struct pg_stmt;

struct pg_db {
	struct pm_db head;
	struct pm_pgwire *wire;
	enum pm_db_mode mode;
	struct pm_pgprepared_list known;
	struct pm_copyin *bulk;
	struct pg_stmt *active; /* the statement whose rows are on the wire */
};

struct pg_stmt {
	struct pm_stmt head;
	struct pm_pgprepared *known;
	struct pm_copyrow *rows; /* of pm_db_insert, instead of `known` */
	struct pm_pgparam param;
	enum { IDLE, ON_WIRE, PARKED, ENDED } state;
	struct pm_pgwire_row *row;
	struct pm_rowspill parked;
	struct pm_rowspill_cell *cell; /* the current row */
	unsigned char **blob;          /* decoded, per column */
};

static struct pg_db *db_of(struct pm_db *db)
{
	return (struct pg_db *)db;
}

static int lock_ms(const struct pg_db *db)
{
	return db->mode == PM_DB_WRITE_SOON ? LOCK_SOON_MS : LOCK_MS;
}

static struct pg_stmt *stmt_of(struct pm_stmt *q)
{
	return (struct pg_stmt *)q;
}

/* Note the first failure: later ones follow from it. Returns rc. */
static int note_failure(struct pg_db *db, int rc)
{
	if (rc < 0 && !db->head.failure)
		db->head.failure = errno;
	return rc;
}

static int columns_of(const struct pg_stmt *q)
{
	return q->known ? pm_pgwire_columns(q->known->shape) : 0;
}

static int receive_row(struct pg_db *db, struct pg_stmt *q, struct pm_err *e)
{
	int rc = pm_pgwire_next(db->wire, &q->row, q->cell, e);

	if (rc <= 0) {
		q->state = ENDED;
		db->active = NULL;
	}
	return note_failure(db, rc);
}

/* Free the wire: park the remaining rows of the active statement. Its current row stays. */
static int park_active(struct pg_db *db, struct pm_err *e)
{
	struct pg_stmt *q = db->active;
	struct pm_rowspill_cell *cell = q ? q->cell : NULL;
	struct pm_pgwire_row *row;
	int rc, kept = 0;

	if (!q)
		return 0;
	row = q->row;
	q->row = NULL;
	q->cell = calloc((size_t)columns_of(q) + 1, sizeof *q->cell);
	if (!q->cell) {
		q->cell = cell;
		q->row = row;
		return pm_err(e, "out of memory");
	}
	/* Receive every row, even when there is no more room to park them. */
	while ((rc = receive_row(db, q, e)) > 0)
		if (kept == 0)
			kept = pm_rowspill_add(&q->parked, q->cell, columns_of(q), e);
	free(q->cell);
	q->cell = cell;
	q->row = row;
	q->state = PARKED;
	return rc < 0 ? rc : note_failure(db, kept);
}

/* Before any other command: park the rows on the wire, and send buffered rows. */
static int settle_wire(struct pg_db *db, struct pm_err *e)
{
	return park_active(db, e) < 0 ? -1 : note_failure(db, pm_copyin_send(db->bulk, e));
}

static int pg_exec(struct pm_db *head, const char *sql, struct pm_err *e)
{
	struct pg_db *db = db_of(head);

	return settle_wire(db, e) < 0 ? -1
				      : note_failure(db, pm_pgwire_command(db->wire, sql, NULL, e));
}

/* Settings of every connection, whatever the site's defaults are. */
static int set_up(struct pg_db *db, struct pm_err *e)
{
	static const char always[] =
		"SET client_min_messages = warning; SET standard_conforming_strings = on;"
		"SET bytea_output = hex; SET extra_float_digits = 1; SET jit = off;"
		"SET idle_in_transaction_session_timeout = 0; SET lock_timeout = ";
	/* Commits wait for the server's disk, even if the site's default is not to wait. */
	static const char sure[] =
		"DO $$ BEGIN IF current_setting('synchronous_commit') = 'off' THEN "
		"PERFORM set_config('synchronous_commit', 'on', false); END IF; END $$";
	char sql[sizeof always + 16];

	snprintf(sql, sizeof sql, "%s%d", always, lock_ms(db));
	if (pm_pgwire_fits(db->wire, e) < 0 || pm_pgwire_command(db->wire, sql, NULL, e) < 0)
		return -1;
	if ((db->mode == PM_DB_WRITE_SURE || db->mode == PM_DB_WRITE_SOON) &&
	    pm_pgwire_command(db->wire, sure, NULL, e) < 0)
		return -1;
	if (db->mode != PM_DB_READ && db->mode != PM_DB_LOOK)
		return 0;
	/* All statements read one snapshot, so no load comes between them. */
	return pm_pgwire_command(db->wire, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL,
				 e);
}

static int pg_begin(struct pm_db *head, struct pm_err *e)
{
	struct pg_db *db = db_of(head);

	if (pm_pgwire_lost(db->wire)) {
		pm_pgprepared_forget(&db->known);
		if (note_failure(db, pm_pgwire_again(db->wire, e)) < 0 ||
		    note_failure(db, set_up(db, e)) < 0)
			return -1;
	}
	return pg_exec(head, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", e);
}

static int pg_references(struct pm_db *db, bool follow, struct pm_err *e)
{
	(void)db;
	(void)follow;
	(void)e;
	return 0;
}

/* Without FULL, which locks all others out: free pages at the end of a table go back to the file
 * system, the others to later loads. */
static int pg_compact(struct pm_db *db, struct pm_err *e)
{
	return pg_exec(db, "VACUUM", e);
}

static int pg_commit(struct pm_db *head, struct pm_err *e)
{
	struct pg_db *db = db_of(head);
	char done[16];

	if (settle_wire(db, e) < 0)
		return -1;
	if (note_failure(db, pm_pgwire_command(db->wire, "COMMIT", done, e)) < 0)
		return -1;
	/* COMMIT of a failed transaction is answered with ROLLBACK, without an error. */
	if (strcmp(done, "COMMIT") == 0)
		return 0;
	errno = EIO;
	return note_failure(db, pm_err(e, "the transaction had failed: nothing was written"));
}

static void pg_rollback(struct pm_db *head)
{
	struct pg_db *db = db_of(head);
	int failure = head->failure;

	park_active(db, NULL);
	pm_copyin_drop(db->bulk);
	pm_pgwire_command(db->wire, "ROLLBACK", NULL, NULL);
	head->failure = failure;
}

static int pg_lock(struct pm_db *head, const char *name, struct pm_err *e)
{
	return pm_pglock_take(head, name, lock_ms(db_of(head)), e);
}

/* Have the server prepare a statement, unless it has done so. Returns 0 or -1 with e filled. */
static int make_known(struct pg_db *db, struct pm_pgprepared *k, struct pm_err *e)
{
	if (k->there)
		return 0;
	return settle_wire(db, e) < 0 ? -1
				      : note_failure(db, pm_pgprepared_prepare(k, db->wire, e));
}

static struct pg_stmt *new_stmt(struct pg_db *db)
{
	struct pg_stmt *q = calloc(1, sizeof *q);

	if (q) {
		q->head.engine = db->head.engine;
		q->head.db = &db->head;
	}
	return q;
}

static int pg_prepare(struct pm_db *head, const char *sql, struct pm_stmt **out, struct pm_err *e)
{
	struct pg_db *db = db_of(head);
	struct pm_pgprepared *k = pm_pgprepared_find(&db->known, sql);
	struct pg_stmt *q;
	size_t columns;

	if (!k)
		return pm_err(e, "out of memory");
	if (make_known(db, k, e) < 0)
		return -1;
	q = new_stmt(db);
	if (!q)
		return pm_err(e, "out of memory");
	columns = (size_t)pm_pgwire_columns(k->shape) + 1;
	q->known = k;
	q->cell = calloc(columns, sizeof *q->cell);
	q->blob = calloc(columns, sizeof *q->blob);
	if (q->cell && q->blob && pm_pgparam_init(&q->param, k->params) == 0) {
		*out = &q->head;
		return 0;
	}
	pm_pgparam_free(&q->param);
	free(q->cell);
	free(q->blob);
	free(q);
	return pm_err(e, "out of memory");
}

static int pg_insert(struct pm_db *head, const struct pm_schema_table *t, bool first,
		     struct pm_stmt **out, struct pm_err *e)
{
	struct pg_stmt *q = new_stmt(db_of(head));

	if (!q || !(q->rows = pm_copyin_rows(db_of(head)->bulk, t, first))) {
		free(q);
		return pm_err(e, "out of memory");
	}
	*out = &q->head;
	return 0;
}

static void pg_bind_int(struct pm_stmt *q, int i, int64_t v)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = v });
	else
		pm_pgparam_int(&stmt_of(q)->param, i, v);
}

static void pg_bind_real(struct pm_stmt *q, int i, double v)
{
	/* NaN becomes NULL, as in SQLite. */
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ !isnan(v), PM_SCHEMA_REAL, .r = v });
	else
		pm_pgparam_real(&stmt_of(q)->param, i, v);
}

static void pg_bind_text(struct pm_stmt *q, int i, const char *p, size_t n)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_TEXT, .p = p, .n = n });
	else
		pm_pgparam_text(&stmt_of(q)->param, i, p, n);
}

static void pg_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_BLOB, .p = p, .n = n });
	else
		pm_pgparam_blob(&stmt_of(q)->param, i, p, n);
}

static void pg_bind_null(struct pm_stmt *q, int i)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i, (struct pm_copyrow_value){ .known = false });
	else
		pm_pgparam_null(&stmt_of(q)->param, i);
}

/* Start a statement on the server. */
static int start_stmt(struct pg_db *db, struct pg_stmt *q, struct pm_err *e)
{
	if (q->param.bad) {
		errno = q->param.bad;
		return pm_err(e, "bind a value: %m");
	}
	if (settle_wire(db, e) < 0 || make_known(db, q->known, e) < 0)
		return -1;
	if (note_failure(db, pm_pgwire_send(db->wire, q->known->name, q->param.count,
					    q->param.value, e)) < 0)
		return -1;
	db->active = q;
	q->state = ON_WIRE;
	return 0;
}

static void free_blobs(struct pg_stmt *q)
{
	for (int i = 0; i < columns_of(q); i++) {
		pm_pgwire_blob_free(q->blob[i]);
		q->blob[i] = NULL;
	}
}

static int pg_step(struct pm_stmt *head, struct pm_err *e)
{
	struct pg_stmt *q = stmt_of(head);
	struct pg_db *db = db_of(head->db);

	if (q->rows)
		return park_active(db, e) < 0
			       ? -1
			       : note_failure(db, pm_copyin_add(db->bulk, q->rows, e));
	free_blobs(q);
	if (q->state == IDLE && start_stmt(db, q, e) < 0)
		return -1;
	if (q->state == ON_WIRE)
		return receive_row(db, q, e);
	if (q->state == PARKED)
		return note_failure(db, pm_rowspill_next(&q->parked, q->cell, columns_of(q), e));
	return 0;
}

static void pg_reset(struct pm_stmt *head)
{
	struct pg_stmt *q = stmt_of(head);
	struct pg_db *db = db_of(head->db);

	if (q->rows) {
		pm_copyrow_clear(q->rows);
		return;
	}
	while (db->active == q)
		receive_row(db, q, NULL);
	pm_pgwire_row_free(q->row);
	q->row = NULL;
	pm_rowspill_free(&q->parked);
	free_blobs(q);
	pm_pgparam_clear(&q->param);
	q->state = IDLE;
}

static void pg_finish(struct pm_stmt *head)
{
	struct pg_stmt *q = stmt_of(head);

	pg_reset(head);
	pm_pgparam_free(&q->param);
	free(q->cell);
	free(q->blob);
	free(q);
}

static int pg_columns(struct pm_stmt *q)
{
	return columns_of(stmt_of(q));
}

static const char *pg_column_name(struct pm_stmt *q, int i)
{
	return pm_pgwire_column_name(stmt_of(q)->known->shape, i);
}

static enum pm_db_type pg_type(struct pm_stmt *q, int i)
{
	static const enum pm_db_type type[] = {
		[PM_SCHEMA_INTEGER] = PM_DB_INTEGER, [PM_SCHEMA_REAL] = PM_DB_REAL,
		[PM_SCHEMA_TEXT] = PM_DB_TEXT,       [PM_SCHEMA_BLOB] = PM_DB_BLOB,
		[PM_SCHEMA_ID] = PM_DB_INTEGER,
	};
	const char *text = stmt_of(q)->cell[i].p;

	return text ? type[pm_pgwire_type(stmt_of(q)->known->shape, i, text)] : PM_DB_NULL;
}

static int64_t pg_int(struct pm_stmt *q, int i)
{
	const char *text = stmt_of(q)->cell[i].p;

	if (!text)
		return 0;
	return *text == 't' ? 1 : strtoll(text, NULL, 10);
}

static double pg_real(struct pm_stmt *q, int i)
{
	const char *text = stmt_of(q)->cell[i].p;

	return text ? strtod(text, NULL) : 0;
}

static const char *pg_text(struct pm_stmt *q, int i, size_t *n)
{
	if (n)
		*n = stmt_of(q)->cell[i].n;
	return stmt_of(q)->cell[i].p;
}

static const void *pg_blob(struct pm_stmt *head, int i, size_t *n)
{
	struct pg_stmt *q = stmt_of(head);
	size_t len = q->cell[i].n;

	/* A text's bytes are the text itself. */
	if (pg_type(head, i) != PM_DB_BLOB)
		return pg_text(head, i, n);
	if (!q->blob[i])
		q->blob[i] = pm_pgwire_blob(q->cell[i].p, &len);
	/* bytea_output = hex: two digits per byte after \x. */
	if (n)
		*n = q->blob[i] ? (q->cell[i].n - 2) / 2 : 0;
	return q->blob[i];
}

static void pg_close(struct pm_db *head)
{
	struct pg_db *db = db_of(head);

	pm_pgprepared_free(&db->known);
	pm_copyin_free(db->bulk);
	if (db->wire)
		pm_pgwire_close(db->wire);
	free(head->name);
	free(db);
}

static int64_t pg_inserted(struct pm_stmt *q)
{
	return pg_int(q, 0);
}

static const struct pm_db_engine engine = {
	.dialect = PM_DIALECT_POSTGRESQL,
	.catalog = pm_pgcatalog_parts,
	.sizes = pm_pgcatalog_sizes,
	.size = pm_pgcatalog_size,
	.spaces = pm_pgcatalog_spaces,
	.close = pg_close,
	.exec = pg_exec,
	.prepare = pg_prepare,
	.returning = " RETURNING id",
	.inserted = pg_inserted,
	.insert = pg_insert,
	.begin = pg_begin,
	.references = pg_references,
	.compact = pg_compact,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.lock = pg_lock,
	.bind_int = pg_bind_int,
	.bind_real = pg_bind_real,
	.bind_text = pg_bind_text,
	.bind_blob = pg_bind_blob,
	.bind_null = pg_bind_null,
	.step = pg_step,
	.reset = pg_reset,
	.finish = pg_finish,
	.columns = pg_columns,
	.column_name = pg_column_name,
	.type = pg_type,
	.get_int = pg_int,
	.get_real = pg_real,
	.get_text = pg_text,
	.get_blob = pg_blob,
};

int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e)
{
	char *name = pm_pgwire_name(url, e);
	struct pg_db *db;
	int saved;

	if (!name)
		return -1;
	db = calloc(1, sizeof *db);
	if (!db) {
		free(name);
		return pm_err(e, "out of memory");
	}
	db->head.engine = &engine;
	db->head.name = name;
	db->mode = mode;
	if (pm_pgwire_open(&db->wire, url, e) < 0 || set_up(db, e) < 0) {
		saved = errno;
		pm_err_prefix(e, "database %s", name);
		goto failed;
	}
	db->bulk = pm_copyin_new(db->wire);
	if (db->bulk) {
		*out = &db->head;
		return 0;
	}
	saved = ENOMEM;
	pm_err(e, "out of memory");
failed:
	pg_close(&db->head);
	errno = saved;
	return -1;
}

#else

int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e)
{
	(void)out;
	(void)mode;
	errno = ENOTSUP;
	return pm_err(e,
		      "database %.*s...: PostgreSQL is not built in: this perfmon was configured "
		      "without libpq",
		      (int)(strchr(url, ':') - url + 1), url);
}

#endif
