/* Pages as HTML. */
#include "config.h"

#include "report/print/html.h"

#include "report/print/table.h"

#include <math.h>
#include <string.h>

void pm_html_text(FILE *f, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, "&<>\"'");

		fwrite(text, 1, n, f);
		text += n;
		if (!*text)
			return;
		fprintf(f, "&#%d;", *text++);
	}
}

static void write_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	pm_html_text(f, text + strspn(text, " "));
	fprintf(f, "</%s>\n", name);
}

static void heading(const struct pm_page *p, const char *text)
{
	if (!p->above || strcmp(p->above, text) != 0)
		write_element(p->f, "h3", text);
}

static void paragraph(const struct pm_page *p, const char *text)
{
	write_element(p->f, "p", text);
}

/* A name without text of its own goes on with the pair before it. */
static void pair(const struct pm_page *p, const char *name, const char *text)
{
	fprintf(p->f, "<dl class=\"%s\">", *name ? "pair" : "pair more");
	write_element(p->f, "dt", name);
	write_element(p->f, "dd", text);
	fputs("</dl>\n", p->f);
}

/* Columns of bars have no title: the pictures of a document are elsewhere. */
static bool has_column(const struct pm_table *t, size_t c)
{
	return t->shown[c] && (c == 0 || *t->column[c].title);
}

static void begin_table(const struct pm_table *t)
{
	FILE *f = t->page->f;

	fputs("<table class=\"data\"><thead><tr>", f);
	for (size_t c = 0; c < t->columns; c++) {
		if (!has_column(t, c))
			continue;
		if (!*t->column[c].title) {
			fputs("<td></td>", f);
			continue;
		}
		fprintf(f, "<th scope=\"col\" data-type=\"%s\">",
			t->column[c].right ? "number" : "text");
		pm_html_text(f, t->column[c].title);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
}

static void write_cell(const struct pm_table *t, size_t c, const char *text, double value)
{
	FILE *f = t->page->f;

	if (!isnan(value))
		fprintf(f, "<td data-value=\"%.17g\">", value);
	else if (strcmp(text, "unknown") == 0)
		fputs("<td class=\"unknown\">", f);
	else
		fputs(t->column[c].right ? "<td class=\"number\">" : "<td>", f);
	pm_html_text(f, text);
	fputs("</td>", f);
}

static void rows(const struct pm_table *t, size_t n, bool last)
{
	if (!t->started)
		begin_table(t);
	for (size_t r = 0; r < n; r++) {
		fputs("<tr>", t->page->f);
		for (size_t c = 0; c < t->columns; c++)
			if (has_column(t, c))
				write_cell(t, c, t->cell[r * t->columns + c],
					   t->value[r * t->columns + c]);
		fputs("</tr>\n", t->page->f);
	}
	if (last)
		fputs("</tbody></table>\n", t->page->f);
}

const struct pm_page_form pm_html_form = { heading, paragraph, pair, rows };
