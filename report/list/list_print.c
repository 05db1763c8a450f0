/* Print the rows of `perfmon list`. */
#include "config.h"

#include "report/list/list_print.h"

#include "report/print/cell.h"
#include "report/print/values.h"

#include <stdio.h>
#include <stdlib.h>

static int print_csv(const struct pm_list_look *k, struct pm_listing *rows, struct pm_err *e)
{
	int rc;

	pm_values_csv_names(k->page->f, rows->q, (int)k->count);
	while ((rc = pm_listing_next(rows, e)) > 0)
		pm_values_csv_row(k->page->f, rows->q, (int)k->count);
	return rc;
}

static int print_json(const struct pm_list_look *k, struct pm_listing *rows, struct pm_err *e)
{
	bool first = true;
	int rc;

	fputc('[', k->page->f);
	while ((rc = pm_listing_next(rows, e)) > 0) {
		fputs(first ? "\n  " : ",\n  ", k->page->f);
		first = false;
		if (pm_values_print(k->page->f, rows->q, rows->ask->table->text, e) < 0)
			return -1;
	}
	fputs(first ? "]\n" : "\n]\n", k->page->f);
	return rc;
}

/* The columns of the table for people; the number of a job in front of rows of several. Returns how
 * many. */
static size_t lay_out(const struct pm_list_look *k, const struct pm_listing *rows,
		      struct pm_table_column look[PM_TABLE_COLUMNS])
{
	size_t n = 0;

	if (k->several && !k->columns)
		look[n++] = (struct pm_table_column){ "#", true, 0, 0 };
	for (size_t i = 0; k->columns && i < k->count; i++) {
		/* That of the statement is gone when the statement is reset. */
		const char *name = pm_list_names_find(k->names, pm_db_column_name(rows->q, (int)i));

		look[n++] = pm_list_columns_look(name);
	}
	for (size_t i = 0;
	     !k->columns && n < PM_TABLE_COLUMNS && rows->ask->table->column[i].look.title; i++)
		look[n++] = rows->ask->table->column[i].look;
	return n;
}

static void print_line(const struct pm_list_look *k, const struct pm_listing *rows,
		       struct pm_table *t)
{
	if (k->columns) {
		for (size_t i = 0; i < k->count; i++)
			pm_list_columns_cell(t, rows->q, (int)i, rows->ask->table->text);
		return;
	}
	if (k->several)
		pm_cell_id(t,
			   rows->job ? rows->job : pm_db_int(rows->q, pm_db_columns(rows->q) - 1));
	for (size_t i = 0; i + k->several < t->columns; i++)
		rows->ask->table->column[i].cell(t, rows->q, rows->ask->table->column[i].from);
}

static int print_table(const struct pm_list_look *k, struct pm_listing *rows, struct pm_err *e)
{
	struct pm_table_column look[PM_TABLE_COLUMNS];
	struct pm_table t;
	bool empty = true;
	int rc;

	pm_table_init(&t, k->page, look, lay_out(k, rows, look), 0);
	while ((rc = pm_listing_next(rows, e)) > 0) {
		empty = false;
		print_line(k, rows, &t);
	}
	if (rc < 0 || empty) {
		pm_table_discard(&t);
		if (rc == 0)
			fprintf(k->page->f, "%s\n", rows->ask->table->none);
		return rc;
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	return rows->ask->table->more && rows->ask->job && !rows->ask->where && !k->columns
		       ? rows->ask->table->more(k->page, rows->db, rows->ask, e)
		       : 0;
}

int pm_list_print(struct pm_db *db, const struct pm_list_ask *ask, const struct pm_list_look *k,
		  struct pm_err *e)
{
	static int (*const print[])(const struct pm_list_look *, struct pm_listing *,
				    struct pm_err *) = {
		[PM_LIST_TEXT] = print_table,
		[PM_LIST_CSV] = print_csv,
		[PM_LIST_JSON] = print_json,
	};
	/* The number of the job is behind the columns where the listing does not know it. */
	const bool number = k->several && ask->order && !ask->table->lines;
	struct pm_listing rows;
	char *people = NULL;
	int rc;

	if (asprintf(&people, "%s%s", ask->table->select, number ? ", r.job_id" : "") < 0)
		return pm_err(e, "out of memory");
	rc = pm_listing_open(&rows, db, ask, k->columns ? k->columns : people, !k->columns, e);
	if (rc == 0)
		rc = print[k->form](k, &rows, e) < 0 ? -1 : rows.left == 0;
	pm_listing_close(&rows);
	free(people);
	return rc;
}
