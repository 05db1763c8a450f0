/* Print a page: headings, wrapped text, pairs, bars; as text of a given width, or in another form.
 * All text passed in must be safe (common/text.h). No line of text is wider than the page. */
#ifndef PM_REPORT_PRINT_PAGE_H
#define PM_REPORT_PRINT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* The narrowest page, and the widest bar, in columns. */
#define PM_PAGE_MIN 60
#define PM_BAR_MAX  40

/* Room for the text of a bar: three bytes a cell and brackets. */
#define PM_BAR_SIZE (3 * PM_BAR_MAX + 8)

struct pm_page;
struct pm_table;

/* How a page is written that is not text. */
struct pm_page_form {
	void (*heading)(const struct pm_page *p, const char *text);
	void (*text)(const struct pm_page *p, const char *text);
	void (*pair)(const struct pm_page *p, const char *name, const char *text);
	/* Rows of a table that are ready; with `last`, no more follow. */
	void (*rows)(const struct pm_table *t, size_t rows, bool last);
};

struct pm_page {
	FILE *f;
	int width;
	bool utf8;                       /* non-ASCII characters are allowed */
	bool colour;                     /* escape sequences of colours are allowed */
	const struct pm_page_form *form; /* NULL: text */
	const char *above; /* in a form: the heading that stands above, which is not repeated; NULL:
			      none */
	int level; /* in a form: of headings, 2 and so on; 0: as sections of a report have them */
};

enum pm_style { PM_STYLE_PLAIN, PM_STYLE_BOLD, PM_STYLE_GOOD, PM_STYLE_FAIR, PM_STYLE_BAD };

/* The escape sequence that begins a style and, of PM_STYLE_PLAIN, ends it; "" without colour. It
 * takes no columns: never pass it on as text to wrap or to measure. */
const char *pm_page_style(const struct pm_page *p, enum pm_style style);

/* Write the heading of a section, with an empty line before it. */
void pm_page_heading(const struct pm_page *p, const char *text);

/* Write the title of a part: a line of its own, or a heading. */
void pm_page_title(const struct pm_page *p, const char *text);

/* Write "LABEL: text" wrapped and indented by so many blanks; in a form as a pair. */
void pm_page_label(const struct pm_page *p, int indent, const char *label, const char *text);

/* Write text wrapped at blanks: the first line starts with `first` (safe text, e.g. " - "), the
 * others are indented by its width. Words longer than a line are broken. */
void pm_page_text(const struct pm_page *p, const char *first, const char *text);

/* As pm_page_text, from a printf format; no argument may be NULL. */
void pm_page_textf(const struct pm_page *p, const char *first, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write wrapped text where the cursor is at `column` already; further lines are indented to it. */
void pm_page_wrap(const struct pm_page *p, int column, const char *text);

/* Write " name text" with the text in a column of its own, wrapped. An empty name continues the
 * previous pair. */
void pm_page_pair(const struct pm_page *p, const char *name, const char *text);

/* As pm_page_pair, from a printf format; no argument may be NULL. */
void pm_page_pairf(const struct pm_page *p, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Draw a bar, where the page is text, of `cells` (at most PM_BAR_MAX) filled by share (0 to 1; more
 * counts as 1, NaN as 0) into dst of PM_BAR_SIZE bytes; in other forms the bar is empty. Returns
 * dst. */
const char *pm_page_bar(const struct pm_page *p, char *dst, double share, int cells);

#endif
