/* Print a table of safe text that fits a page. */
#include "config.h"

#include "report/print/table.h"

#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of rows whose widths are computed together. */
#define BLOCK_ROWS 512

/* Blanks between columns. */
#define GAP 2

void pm_table_init(struct pm_table *t, const struct pm_page *p,
		   const struct pm_table_column *column, size_t n, int indent)
{
	memset(t, 0, sizeof *t);
	t->page = p;
	t->column = column;
	t->columns = n < PM_TABLE_COLUMNS ? n : PM_TABLE_COLUMNS;
	t->indent = indent;
	t->next_value = NAN;
	for (size_t c = 0; c < t->columns; c++) {
		t->width[c] = pm_text_columns(column[c].title);
		t->shown[c] = true;
	}
}

static int total_width(const struct pm_table *t)
{
	int sum = t->indent, shown = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (t->shown[c]) {
			sum += t->width[c];
			shown++;
		}
	return sum + (shown > 1 ? GAP * (shown - 1) : 0);
}

/* Width of the table with every shrinkable column at its minimum. */
static int least_width(const struct pm_table *t)
{
	int sum = total_width(t);

	for (size_t c = 0; c < t->columns; c++)
		if (t->shown[c] && t->column[c].least > 0 && t->width[c] > t->column[c].least)
			sum -= t->width[c] - t->column[c].least;
	return sum;
}

/* Hide columns and shrink others until the table fits the page. */
static void fit_page(struct pm_table *t)
{
	while (!t->started && least_width(t) > t->page->width) {
		size_t worst = t->columns;

		for (size_t c = 0; c < t->columns; c++)
			if (t->shown[c] && t->column[c].drop > 0 &&
			    (worst == t->columns || t->column[c].drop > t->column[worst].drop))
				worst = c;
		if (worst == t->columns)
			break;
		t->shown[worst] = false;
	}
	/* Shrink the last shrinkable column first; if that is not enough, any column. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = t->columns; i-- > 0 && total_width(t) > t->page->width;) {
			int least = pass == 0 ? t->column[i].least : 1;
			int spare = t->width[i] - least, over = total_width(t) - t->page->width;

			if (t->shown[i] && least > 0 && spare > 0)
				t->width[i] -= spare < over ? spare : over;
		}
}

static void print_row(const struct pm_table *t, char *const *cell)
{
	FILE *f = t->page->f;
	int pending = t->indent; /* blanks to print before the next text, so that no line ends in
				  * blanks */

	for (size_t c = 0; c < t->columns; c++) {
		const char *text = cell ? cell[c] : t->column[c].title;
		char cut[1024];
		int used;

		if (!t->shown[c])
			continue;
		used = pm_text_fit(cut, sizeof cut, text, t->width[c], t->page->utf8);
		if (t->column[c].right)
			pending += t->width[c] - used;
		if (*cut) {
			fprintf(f, "%*s%s", pending, "", cut);
			pending = 0;
		}
		if (!t->column[c].right)
			pending += t->width[c] - used;
		pending += GAP;
	}
	fputc('\n', f);
}

/* In a form the columns of bars are empty, and have no title. */
static bool may_hide(const struct pm_table *t, size_t c)
{
	return t->column[c].drop < 0 || (t->page->form && c > 0 && !*t->column[c].title);
}

/* Hide columns without a text in any row; while more rows may follow, those of bars alone. */
static void hide_empty_columns(struct pm_table *t, size_t rows, bool last)
{
	for (size_t c = 0; c < t->columns; c++) {
		bool any = !may_hide(t, c) || (!last && *t->column[c].title);

		for (size_t r = 0; r < rows && !any; r++)
			any = *t->cell[r * t->columns + c] != '\0';
		t->shown[c] = any;
	}
}

static void print_rows(struct pm_table *t, size_t rows)
{

	for (size_t i = 0; i < t->cells; i++) {
		int columns = pm_text_columns(t->cell[i]);

		if (columns > t->width[i % t->columns])
			t->width[i % t->columns] = columns;
	}
	fit_page(t);
	if (!t->started)
		print_row(t, NULL);
	for (size_t r = 0; r < rows; r++)
		print_row(t, t->cell + r * t->columns);
}

static void free_cells(struct pm_table *t)
{
	for (size_t i = 0; i < t->cells; i++) {
		free(t->cell[i]);
		free(t->link[i]);
	}
	t->cells = 0;
}

/* Make room for another cell. Returns 0, or -1 if out of memory. */
static int grow(struct pm_table *t)
{
	const size_t room = t->room ? 2 * t->room : 8 * t->columns;
	char **cells = realloc(t->cell, room * sizeof *cells), **links;
	double *values;

	if (cells)
		t->cell = cells;
	links = realloc(t->link, room * sizeof *links);
	if (links)
		t->link = links;
	values = realloc(t->value, room * sizeof *values);
	if (values)
		t->value = values;
	if (!cells || !links || !values)
		return -1;
	t->room = room;
	return 0;
}

static void flush_rows(struct pm_table *t, bool last)
{
	size_t rows = t->cells / t->columns;

	if (!t->started)
		hide_empty_columns(t, rows, last);
	if (t->page->form)
		t->page->form->rows(t, rows, last);
	else if (t->cells || !t->started)
		print_rows(t, rows);
	t->started = true;
	free_cells(t);
}

void pm_table_cell(struct pm_table *t, const char *text)
{
	if (t->failed)
		return;
	if (t->cells == BLOCK_ROWS * t->columns)
		flush_rows(t, false);
	if (t->cells == t->room && grow(t) < 0) {
		t->failed = true;
		return;
	}
	t->cell[t->cells] = strdup(text);
	if (!t->cell[t->cells]) {
		t->failed = true;
		return;
	}
	t->value[t->cells] = t->next_value;
	t->next_value = NAN;
	t->link[t->cells] = t->next_link;
	t->next_link = NULL;
	t->cells++;
}

void pm_table_value(struct pm_table *t, double value)
{
	t->next_value = value;
}

void pm_table_link(struct pm_table *t, const char *id)
{
	free(t->next_link);
	t->next_link = strdup(id);
	if (!t->next_link)
		t->failed = true;
}

void pm_table_discard(struct pm_table *t)
{
	free_cells(t);
	free(t->cell);
	free(t->value);
	free(t->link);
	free(t->next_link);
	t->cell = t->link = NULL;
	t->value = NULL;
	t->next_link = NULL;
	t->room = 0;
}

int pm_table_finish(struct pm_table *t)
{
	flush_rows(t, true);
	pm_table_discard(t);
	return t->failed ? -1 : 0;
}
