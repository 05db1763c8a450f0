/*
 * A connection to a PostgreSQL server, as far as the engine needs one; wire.c alone calls libpq.
 * One command at a time: between pm_pgwire_send and the end of its rows, and inside a COPY, no
 * other command may be sent.
 */
#ifndef PM_DB_POSTGRES_WIRE_H
#define PM_DB_POSTGRES_WIRE_H

#include "db/postgres/rowspill.h"
#include "sql/schema.h"

struct pm_pgwire;
struct pm_pgwire_row;   /* a row that arrived */
struct pm_pgwire_shape; /* columns of a prepared statement */

/*
 * Connect to the database of a URL postgresql://...; libpq takes what the URL leaves out from the
 * environment, service files and ~/.pgpass, as psql does. Returns 0 with *out to be closed by the
 * caller, or -1 with e filled; e never has a password.
 */
int pm_pgwire_open(struct pm_pgwire **out, const char *url, struct pm_err *e);
void pm_pgwire_close(struct pm_pgwire *w);

/* The URL for messages, without secrets, to be freed; NULL with e filled if libpq does not
 * understand the URL. */
char *pm_pgwire_name(const char *url, struct pm_err *e);

/* Whether the connection is lost. pm_pgwire_again reconnects: returns 0, or -1 with e filled. */
bool pm_pgwire_lost(const struct pm_pgwire *w);
int pm_pgwire_again(struct pm_pgwire *w, struct pm_err *e);

/* Check that the server's version and encoding suit the schema. Returns 0, or -1 with e filled. */
int pm_pgwire_fits(const struct pm_pgwire *w, struct pm_err *e);

/*
 * Run statements whose rows do not matter. `done`, unless NULL, gets the command tag of the last
 * statement, such as COMMIT, truncated to fit. Returns 0 or -1 with e filled.
 */
int pm_pgwire_command(struct pm_pgwire *w, const char *sql, char done[16], struct pm_err *e);

/* Prepare a named statement on the server with 64-bit integer parameters; *out is to be freed by
 * the caller. Returns 0 or -1 with e filled. */
int pm_pgwire_prepare(struct pm_pgwire *w, const char *name, const char *sql,
		      struct pm_pgwire_shape **out, struct pm_err *e);
int pm_pgwire_columns(const struct pm_pgwire_shape *s);
const char *pm_pgwire_column_name(const struct pm_pgwire_shape *s, int i);
/* Type of a value of the column. The text decides the type of a numeric. */
enum pm_schema_type pm_pgwire_type(const struct pm_pgwire_shape *s, int i, const char *text);
void pm_pgwire_shape_free(struct pm_pgwire_shape *s);

/* Start a prepared statement; parameters are texts, NULL for NULL. Returns 0 or -1 with e filled.
 */
int pm_pgwire_send(struct pm_pgwire *w, const char *name, int n, const char *const *param,
		   struct pm_err *e);

/*
 * Free *row, and receive the next row into it, to be freed by the caller; `cell` gets its texts,
 * valid as long as *row. Returns 1 with a row; 0 at the end, or -1 with e filled: then *row is NULL
 * and the connection is free again.
 */
int pm_pgwire_next(struct pm_pgwire *w, struct pm_pgwire_row **row, struct pm_rowspill_cell *cell,
		   struct pm_err *e);
void pm_pgwire_row_free(struct pm_pgwire_row *row);

/* Decode a text of type bytea. Returns its bytes, to be freed by pm_pgwire_blob_free, or NULL if
 * out of memory. */
unsigned char *pm_pgwire_blob(const char *text, size_t *n);
void pm_pgwire_blob_free(unsigned char *p);

/* COPY ... FROM STDIN: begin, data, end. Each returns 0 or -1 with e filled; a failure ends the
 * COPY. pm_pgwire_copy_abort makes the COPY fail. */
int pm_pgwire_copy(struct pm_pgwire *w, const char *sql, struct pm_err *e);
int pm_pgwire_copy_data(struct pm_pgwire *w, const char *p, size_t n, struct pm_err *e);
int pm_pgwire_copy_end(struct pm_pgwire *w, struct pm_err *e);
void pm_pgwire_copy_abort(struct pm_pgwire *w);

#endif
