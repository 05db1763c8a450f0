/* Columns of `perfmon list` by their names. */
#ifndef PM_REPORT_LIST_LIST_COLUMNS_H
#define PM_REPORT_LIST_LIST_COLUMNS_H

#include "report/list/list_tables.h"

#include "common/err.h"
#include "db/db.h"

#include <stddef.h>

/* The names of all columns of a table. */
struct pm_list_names {
	char **name; /* owned */
	size_t n, room;
};

/* Read the names. Returns 0, or -1 with e filled. To be freed in either case. */
int pm_list_names_read(struct pm_list_names *names, struct pm_db *db, const struct pm_list_table *t,
		       struct pm_err *e);
void pm_list_names_free(struct pm_list_names *names);

/* Find a name among them. Returns theirs, or NULL where it is not there. */
const char *pm_list_names_find(const struct pm_list_names *names, const char *name);

/*
 * SQL of the columns, of rows r, that a list names, with commas between; of all without one. To be
 * freed; NULL with e filled: a name is not there, or there is no memory. *count gets how many.
 */
char *pm_list_columns_sql(const struct pm_list_names *names, const struct pm_list_table *t,
			  const char *list, size_t *count, struct pm_err *e);

/* SQL of the order that a word names, COLUMN with :asc or :desc behind it or not: the largest
 * first. To be freed; NULL with e filled. */
char *pm_list_columns_order(const struct pm_list_names *names, const struct pm_list_table *t,
			    const char *word, struct pm_err *e);

/* Append the value of a column of the current row as a cell for people: with its unit, and - for
 * what is not known or is not there. */
void pm_list_columns_cell(struct pm_table *t, struct pm_stmt *q, int i, enum pm_values_text text);

/* The layout of a column: numbers are aligned right, and texts are cut where the page is too
 * narrow. The name must outlive it. */
struct pm_table_column pm_list_columns_look(const char *name);

#endif
