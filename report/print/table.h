/* A table of safe text that fits a page. */
#ifndef PM_TABLE_H
#define PM_TABLE_H

#include "report/page.h"

#include <stdbool.h>
#include <stddef.h>

#define PM_TABLE_COLUMNS 16

struct pm_table_column {
	const char *title;
	bool right; /* aligned right: numbers */
	int least;  /* > 0: may be cut down to so many columns; the last such gives way first */
	int drop;   /* > 0: left out where the page is too narrow, the highest first; < 0: where no
		     * row   of the first block has anything in it */
};

struct pm_table {
	const struct pm_page *page;
	const struct pm_table_column *column;
	size_t columns;
	int indent;
	/* The rows not printed yet; at most a block of them, so that memory stays flat. */
	char **cell;
	size_t cells, room;
	int width[PM_TABLE_COLUMNS];
	bool shown[PM_TABLE_COLUMNS];
	bool started; /* the title line is out: columns left out stay so */
	bool failed;
};

/* Start an empty table. `column` (n of them, at most PM_TABLE_COLUMNS) must outlive it. */
void pm_table_init(struct pm_table *t, const struct pm_page *p,
		   const struct pm_table_column *column, size_t n, int indent);

/* Append the next cell, row by row. The text must be safe and is copied. */
void pm_table_cell(struct pm_table *t, const char *text);

/* Free everything, what was not printed yet included. */
void pm_table_discard(struct pm_table *t);

/* Print what is left and free everything. Returns 0, or -1 when memory ran out on the way. */
int pm_table_finish(struct pm_table *t);

#endif
