/* Statements of the PostgreSQL engine: parameters, rows, and rows that wait for others. */
#include "config.h"

#include "db/postgres/statement.h"

#include "db/postgres/param.h"
#include "db/postgres/rowspill.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#ifdef HAVE_PQ

struct pm_pgstatement {
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

static struct pm_pgstatement *stmt_of(struct pm_stmt *q)
{
	return (struct pm_pgstatement *)q;
}

int pm_pgstatement_failure(struct pm_pgdb *db, int rc)
{
	if (rc < 0 && !db->head.failure)
		db->head.failure = errno;
	return rc;
}

static int columns_of(const struct pm_pgstatement *q)
{
	return q->known ? pm_pgwire_columns(q->known->shape) : 0;
}

static int receive_row(struct pm_pgdb *db, struct pm_pgstatement *q, struct pm_err *e)
{
	int rc = pm_pgwire_next(db->wire, &q->row, q->cell, e);

	if (rc <= 0) {
		q->state = ENDED;
		db->active = NULL;
	}
	return pm_pgstatement_failure(db, rc);
}

int pm_pgstatement_park(struct pm_pgdb *db, struct pm_err *e)
{
	struct pm_pgstatement *q = db->active;
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
	return rc < 0 ? rc : pm_pgstatement_failure(db, kept);
}

int pm_pgstatement_settle(struct pm_pgdb *db, struct pm_err *e)
{
	return pm_pgstatement_park(db, e) < 0
		       ? -1
		       : pm_pgstatement_failure(db, pm_copyin_send(db->bulk, e));
}

/* Have the server prepare a statement, unless it has done so. Returns 0 or -1 with e filled. */
static int make_known(struct pm_pgdb *db, struct pm_pgprepared *k, struct pm_err *e)
{
	if (k->there)
		return 0;
	return pm_pgstatement_settle(db, e) < 0
		       ? -1
		       : pm_pgstatement_failure(db, pm_pgprepared_prepare(k, db->wire, e));
}

static struct pm_pgstatement *new_stmt(struct pm_pgdb *db)
{
	struct pm_pgstatement *q = calloc(1, sizeof *q);

	if (q) {
		q->head.engine = db->head.engine;
		q->head.db = &db->head;
	}
	return q;
}

int pm_pgstatement_prepare(struct pm_db *head, const char *sql, struct pm_stmt **out,
			   struct pm_err *e)
{
	struct pm_pgdb *db = pm_pgdb_of(head);
	struct pm_pgprepared *k = pm_pgprepared_find(&db->known, sql);
	struct pm_pgstatement *q;
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

int pm_pgstatement_insert(struct pm_db *head, const struct pm_schema_table *t, bool first,
			  struct pm_stmt **out, struct pm_err *e)
{
	struct pm_pgstatement *q = new_stmt(pm_pgdb_of(head));

	if (!q || !(q->rows = pm_copyin_rows(pm_pgdb_of(head)->bulk, t, first))) {
		free(q);
		return pm_err(e, "out of memory");
	}
	*out = &q->head;
	return 0;
}

void pm_pgstatement_bind_int(struct pm_stmt *q, int i, int64_t v)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = v });
	else
		pm_pgparam_int(&stmt_of(q)->param, i, v);
}

void pm_pgstatement_bind_real(struct pm_stmt *q, int i, double v)
{
	/* NaN becomes NULL, as in SQLite. */
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ !isnan(v), PM_SCHEMA_REAL, .r = v });
	else
		pm_pgparam_real(&stmt_of(q)->param, i, v);
}

void pm_pgstatement_bind_text(struct pm_stmt *q, int i, const char *p, size_t n)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_TEXT, .p = p, .n = n });
	else
		pm_pgparam_text(&stmt_of(q)->param, i, p, n);
}

void pm_pgstatement_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_BLOB, .p = p, .n = n });
	else
		pm_pgparam_blob(&stmt_of(q)->param, i, p, n);
}

void pm_pgstatement_bind_null(struct pm_stmt *q, int i)
{
	if (stmt_of(q)->rows)
		pm_copyrow_set(stmt_of(q)->rows, i, (struct pm_copyrow_value){ .known = false });
	else
		pm_pgparam_null(&stmt_of(q)->param, i);
}

/* Start a statement on the server. */
static int start_stmt(struct pm_pgdb *db, struct pm_pgstatement *q, struct pm_err *e)
{
	if (q->param.bad) {
		errno = q->param.bad;
		return pm_err(e, "bind a value: %m");
	}
	if (pm_pgstatement_settle(db, e) < 0 || make_known(db, q->known, e) < 0)
		return -1;
	if (pm_pgstatement_failure(db, pm_pgwire_send(db->wire, q->known->name, q->param.count,
						      q->param.value, e)) < 0)
		return -1;
	pm_pgprepared_ran(q->known);
	db->active = q;
	q->state = ON_WIRE;
	return 0;
}

static void free_blobs(struct pm_pgstatement *q)
{
	for (int i = 0; i < columns_of(q); i++) {
		pm_pgwire_blob_free(q->blob[i]);
		q->blob[i] = NULL;
	}
}

int pm_pgstatement_step(struct pm_stmt *head, struct pm_err *e)
{
	struct pm_pgstatement *q = stmt_of(head);
	struct pm_pgdb *db = pm_pgdb_of(head->db);

	if (q->rows)
		return pm_pgstatement_park(db, e) < 0
			       ? -1
			       : pm_pgstatement_failure(db, pm_copyin_add(db->bulk, q->rows, e));
	free_blobs(q);
	if (q->state == IDLE && start_stmt(db, q, e) < 0)
		return -1;
	if (q->state == ON_WIRE)
		return receive_row(db, q, e);
	if (q->state == PARKED)
		return pm_pgstatement_failure(
			db, pm_rowspill_next(&q->parked, q->cell, columns_of(q), e));
	return 0;
}

void pm_pgstatement_reset(struct pm_stmt *head)
{
	struct pm_pgstatement *q = stmt_of(head);
	struct pm_pgdb *db = pm_pgdb_of(head->db);

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

void pm_pgstatement_finish(struct pm_stmt *head)
{
	struct pm_pgstatement *q = stmt_of(head);

	pm_pgstatement_reset(head);
	pm_pgparam_free(&q->param);
	free(q->cell);
	free(q->blob);
	free(q);
}

int pm_pgstatement_columns(struct pm_stmt *q)
{
	return columns_of(stmt_of(q));
}

const char *pm_pgstatement_column_name(struct pm_stmt *q, int i)
{
	return pm_pgwire_column_name(stmt_of(q)->known->shape, i);
}

enum pm_db_type pm_pgstatement_type(struct pm_stmt *q, int i)
{
	static const enum pm_db_type type[] = {
		[PM_SCHEMA_INTEGER] = PM_DB_INTEGER, [PM_SCHEMA_REAL] = PM_DB_REAL,
		[PM_SCHEMA_TEXT] = PM_DB_TEXT,       [PM_SCHEMA_BLOB] = PM_DB_BLOB,
		[PM_SCHEMA_ID] = PM_DB_INTEGER,
	};
	const char *text = stmt_of(q)->cell[i].p;

	return text ? type[pm_pgwire_type(stmt_of(q)->known->shape, i, text)] : PM_DB_NULL;
}

int64_t pm_pgstatement_int(struct pm_stmt *q, int i)
{
	const char *text = stmt_of(q)->cell[i].p;

	if (!text)
		return 0;
	return *text == 't' ? 1 : strtoll(text, NULL, 10);
}

double pm_pgstatement_real(struct pm_stmt *q, int i)
{
	const char *text = stmt_of(q)->cell[i].p;

	return text ? strtod(text, NULL) : 0;
}

const char *pm_pgstatement_text(struct pm_stmt *q, int i, size_t *n)
{
	if (n)
		*n = stmt_of(q)->cell[i].n;
	return stmt_of(q)->cell[i].p;
}

const void *pm_pgstatement_blob(struct pm_stmt *head, int i, size_t *n)
{
	struct pm_pgstatement *q = stmt_of(head);
	size_t len = q->cell[i].n;

	/* A text's bytes are the text itself. */
	if (pm_pgstatement_type(head, i) != PM_DB_BLOB)
		return pm_pgstatement_text(head, i, n);
	if (!q->blob[i])
		q->blob[i] = pm_pgwire_blob(q->cell[i].p, &len);
	/* bytea_output = hex: two digits per byte after \x. */
	if (n)
		*n = q->blob[i] ? (q->cell[i].n - 2) / 2 : 0;
	return q->blob[i];
}

int64_t pm_pgstatement_inserted(struct pm_stmt *q)
{
	return pm_pgstatement_int(q, 0);
}

#endif
