/*
 * A connection to PostgreSQL and its statements. The connection runs one statement at a time: if
 * another comes between, the remaining rows of the first are parked.
 */
#ifndef PM_DB_POSTGRES_STATEMENT_H
#define PM_DB_POSTGRES_STATEMENT_H

#include "db/engine.h"
#include "db/postgres/copyin.h"
#include "db/postgres/prepared.h"
#include "db/postgres/wire.h"

struct pm_pgstatement;

struct pm_pgdb {
	struct pm_db head;
	struct pm_pgwire *wire;
	enum pm_db_mode mode;
	struct pm_pgprepared_list known;
	struct pm_copyin *bulk;
	enum { PM_PGDB_UNKNOWN, PM_PGDB_READS, PM_PGDB_LOADS } rights;
	struct pm_pgstatement *active; /* the statement whose rows are on the wire */
};

/* The connection that a database of this engine is. */
static inline struct pm_pgdb *pm_pgdb_of(struct pm_db *db)
{
	return (struct pm_pgdb *)db;
}

/* Note the first failure: later ones follow from it. Returns rc. */
int pm_pgstatement_failure(struct pm_pgdb *db, int rc);

/* Free the wire: park the remaining rows of the active statement, whose current row stays. Returns
 * 0 or -1 with e filled. */
int pm_pgstatement_park(struct pm_pgdb *db, struct pm_err *e);

/* Before any other command: park the rows on the wire, and send buffered rows. Returns 0 or -1 with
 * e filled. */
int pm_pgstatement_settle(struct pm_pgdb *db, struct pm_err *e);

/* Functions of the engine, as engine.h and db.h describe them. */
int pm_pgstatement_prepare(struct pm_db *head, const char *sql, struct pm_stmt **out,
			   struct pm_err *e);
int pm_pgstatement_insert(struct pm_db *head, const struct pm_schema_table *t, bool first,
			  struct pm_stmt **out, struct pm_err *e);
void pm_pgstatement_bind_int(struct pm_stmt *q, int i, int64_t v);
void pm_pgstatement_bind_real(struct pm_stmt *q, int i, double v);
void pm_pgstatement_bind_text(struct pm_stmt *q, int i, const char *p, size_t n);
void pm_pgstatement_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n);
void pm_pgstatement_bind_null(struct pm_stmt *q, int i);
int pm_pgstatement_step(struct pm_stmt *head, struct pm_err *e);
void pm_pgstatement_reset(struct pm_stmt *head);
void pm_pgstatement_finish(struct pm_stmt *head);
int pm_pgstatement_columns(struct pm_stmt *q);
const char *pm_pgstatement_column_name(struct pm_stmt *q, int i);
enum pm_db_type pm_pgstatement_type(struct pm_stmt *q, int i);
int64_t pm_pgstatement_int(struct pm_stmt *q, int i);
double pm_pgstatement_real(struct pm_stmt *q, int i);
const char *pm_pgstatement_text(struct pm_stmt *q, int i, size_t *n);
const void *pm_pgstatement_blob(struct pm_stmt *head, int i, size_t *n);
int64_t pm_pgstatement_inserted(struct pm_stmt *q);

#endif
