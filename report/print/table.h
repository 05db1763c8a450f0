/* Print a table of safe text that fits a page. */
#ifndef PM_REPORT_PRINT_TABLE_H
#define PM_REPORT_PRINT_TABLE_H

#include "report/print/page.h"

#include <stdbool.h>
#include <stddef.h>

#define PM_TABLE_COLUMNS 16

struct pm_table_column {
	const char *title;
	bool right; /* aligned right: numbers */
	int least;  /* > 0: minimum width; the last column with a minimum is shrunk first */
	int drop;   /* > 0: hidden where the page is too narrow, the highest value first; < 0:
		     * hidden where it is empty in all rows of the first block */
};

struct pm_table {
	const struct pm_page *page;
	const struct pm_table_column *column;
	size_t columns;
	int indent;
	/* Cells of rows not printed yet; at most one block, so that memory stays constant. */
	char **cell;
	double *value; /* of each cell: a number to sort by, else NaN */
	size_t cells, room;
	int width[PM_TABLE_COLUMNS];
	bool shown[PM_TABLE_COLUMNS];
	char **link; /* of each cell: the part of the page that it leads to, owned; NULL: none */
	double next_value; /* of the next cell */
	char *next_link;   /* owned */
	bool started;      /* the title line has been printed: hidden columns stay hidden */
	bool failed;
};

/* Start an empty table. `column` (n of them, at most PM_TABLE_COLUMNS) must outlive it. */
void pm_table_init(struct pm_table *t, const struct pm_page *p,
		   const struct pm_table_column *column, size_t n, int indent);

/* Append the next cell, row by row. The text must be safe; it is copied. */
void pm_table_cell(struct pm_table *t, const char *text);

/* Give the next cell a value to sort by, where the form of the page has a use for it. */
void pm_table_value(struct pm_table *t, double value);

/* Let the next cell lead to a part of the page, by its id, where the form has links. The text is
 * copied. */
void pm_table_link(struct pm_table *t, const char *id);

/* Free everything, including rows not printed yet. */
void pm_table_discard(struct pm_table *t);

/* Print the remaining rows and free everything. Returns 0, or -1 if memory ran out on the way. */
int pm_table_finish(struct pm_table *t);

#endif
