/* Rows of a query as values: texts decoded as a person reads them. */
#ifndef PM_EXPORT_ROW_H
#define PM_EXPORT_ROW_H

#include "export/value.h"

#include "common/bytes.h"
#include "common/err.h"
#include "db/db.h"
#include "report/list/list_tables.h"

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
	const struct pm_list_table *table;
	size_t args;            /* the column that is a list of arguments; SIZE_MAX: none */
	size_t odd;             /* values so far that are not of their column's type */
	const char *odd_column; /* of the last of them */
};

/* Prepare for the rows of a statement over a table of `perfmon list`. Returns 0, or -1 with e
 * filled. To be freed in either case. */
int pm_export_row_init(struct pm_export_row *r, const struct pm_list_table *t, struct pm_stmt *q,
		       struct pm_err *e);

/* Whether a statement has the columns that the rows were prepared for. */
bool pm_export_row_fits(const struct pm_export_row *r, struct pm_stmt *q);

/* Take the current row of the statement. Returns 0, or -1 with e filled: out of memory. */
int pm_export_row_take(struct pm_export_row *r, struct pm_stmt *q, struct pm_err *e);

void pm_export_row_free(struct pm_export_row *r);

#endif
