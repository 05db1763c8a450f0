/* Rows of a query as values: texts decoded as a person reads them. */
#ifndef PM_EXPORT_ROW_H
#define PM_EXPORT_ROW_H

#include "export/value.h"

#include "common/bytes.h"
#include "common/err.h"
#include "db/db.h"
#include "report/list/list_tables.h"
#include "report/print/values.h"
#include "sql/schema.h"

#include <jansson.h>
#include <stddef.h>

/*
 * The column behind those of the table: where a text is not what the database has, since its bytes
 * are no UTF-8, have a NUL or are a list that was cut, or a value is not of the column's type, as
 * in a damaged database, its exact form as in `list --json`, in a JSON object with a member for
 * each such column; else unknown.
 */
#define PM_EXPORT_EXACT "exact"

struct pm_export_row {
	size_t n;
	struct pm_export_column *column;
	struct pm_export_value *value; /* of the current row; texts stay until the next */
	struct pm_bytes *copy;         /* of each column: its text, where it is not as stored */
	char *exact;                   /* the text of the last column; NULL: unknown */
	json_t *forms;                 /* exact forms of the current row so far; NULL: none */
	enum pm_values_text text;      /* how texts are stored */
	size_t plain;           /* those of the columns before this one are PM_VALUES_PLAIN */
	size_t args;            /* the column that is a list of arguments; SIZE_MAX: none */
	size_t odd;             /* values so far that are not of their column's type */
	const char *odd_column; /* of the last of them */
};

/* Prepare for the rows of a statement over a table of `perfmon list`. Returns 0, or -1 with e
 * filled. To be freed in either case. */
int pm_export_row_init(struct pm_export_row *r, const struct pm_list_table *t, struct pm_stmt *q,
		       struct pm_err *e);

/* What a column of a table of the schema is, by its number, under a name. */
struct pm_export_column pm_export_row_column(const struct pm_schema_table *t, int i,
					     const char *name);

/* Prepare for rows whose values come from elsewhere, in these columns, by pm_export_row_text() or
 * in r->value. Returns as pm_export_row_init(). */
int pm_export_row_make(struct pm_export_row *r, enum pm_values_text text,
		       const struct pm_export_column *column, size_t n, struct pm_err *e);

/* Whether a statement has the columns that the rows were prepared for. */
bool pm_export_row_fits(const struct pm_export_row *r, struct pm_stmt *q);

/* Take the current row of the statement. Returns 0, or -1 with e filled: out of memory. */
int pm_export_row_take(struct pm_export_row *r, struct pm_stmt *q, struct pm_err *e);

/* Take a text of n bytes, as it is stored, as the value of a column. It has to stay until the row
 * was written. Returns 0, or -1 if out of memory. */
int pm_export_row_text(struct pm_export_row *r, size_t i, const char *p, size_t n);

/* Complete a row whose values did not come from a statement: its column exact. Returns 0, or -1
 * with e filled: out of memory. */
int pm_export_row_end(struct pm_export_row *r, struct pm_err *e);

void pm_export_row_free(struct pm_export_row *r);

#endif
