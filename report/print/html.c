/* Pages as HTML. */
#include "config.h"

#include "report/print/html.h"

#include "report/print/table.h"

#include <math.h>
#include <string.h>

/* Headings inside of a section of a report. */
#define LEVEL 3

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
	const char name[] = { 'h', (char)('0' + (p->level ? p->level : LEVEL)), '\0' };

	if (!p->above || strcmp(p->above, text) != 0)
		write_element(p->f, name, text);
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

static void begin_table(const struct pm_table *t)
{
	FILE *f = t->page->f;

	/* Rows that are figures have units of their own: there is no order of them. */
	fprintf(f, "<div class=\"scroll\"><table class=\"data\"%s><thead><tr>",
		*t->column[0].title ? "" : " data-plain");
	for (size_t c = 0; c < t->columns; c++) {
		if (!t->shown[c])
			continue;
		if (!*t->column[c].title) {
			fputs("<td></td>", f);
			continue;
		}
		fprintf(f, "<th scope=\"col\" data-type=\"%s\"%s>",
			t->column[c].right ? "number" : "text",
			t->column[c].right ? " class=\"number\"" : "");
		pm_html_text(f, t->column[c].title);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
}

/* A text that is indented is a part of the row above. */
static void write_cell(const struct pm_table *t, size_t c, size_t i)
{
	const char *text = t->cell[i];
	const double value = t->value[i];
	FILE *f = t->page->f;

	fputs("<td", f);
	if (!isnan(value))
		fprintf(f, " data-value=\"%.17g\"", value);
	else if (strcmp(text, "unknown") == 0)
		fputs(t->column[c].right ? " class=\"number unknown\"" : " class=\"unknown\"", f);
	else if (t->column[c].right)
		fputs(" class=\"number\"", f);
	else if (*text == ' ')
		fputs(" class=\"part\"", f);
	fputc('>', f);
	if (t->link[i]) {
		fputs("<a href=\"#", f);
		pm_html_text(f, t->link[i]);
		fputs("\">", f);
	}
	pm_html_text(f, text + strspn(text, " "));
	fputs(t->link[i] ? "</a></td>" : "</td>", f);
}

static void rows(const struct pm_table *t, size_t n, bool last)
{
	if (!t->started)
		begin_table(t);
	for (size_t r = 0; r < n; r++) {
		fputs("<tr>", t->page->f);
		for (size_t c = 0; c < t->columns; c++)
			if (t->shown[c])
				write_cell(t, c, r * t->columns + c);
		fputs("</tr>\n", t->page->f);
	}
	if (last)
		fputs("</tbody></table></div>\n", t->page->f);
}

const struct pm_page_form pm_html_form = { heading, paragraph, pair, rows };
