/* CSV as in RFC 4180, and values with tabs between. */
#include "config.h"

#include "export/csv.h"
#include "export/format.h"

#include <string.h>

static void put(FILE *f, const char *p, size_t n)
{
	fwrite_unlocked(p, 1, n, f);
}

/* Write a number or nothing. Returns whether the value is no text. */
static bool put_number(FILE *f, const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER];

	if (v->type == PM_DB_INTEGER)
		put(f, s, pm_export_integer(s, v->integer));
	else if (v->type == PM_DB_REAL)
		put(f, s, pm_export_real(s, v->real));
	return v->type == PM_DB_INTEGER || v->type == PM_DB_REAL || v->type == PM_DB_NULL;
}

/* Whether a spreadsheet might take a text for a formula. */
static bool looks_like_formula(const char *p, size_t n)
{
	return n > 0 && memchr("=+-@\t\r\n", p[0], 7);
}

/* Write a text, behind a mark where it is not to be taken for a formula: an empty one in quotes,
 * since nothing at all is what is not known. */
static void put_marked(FILE *f, const char *p, size_t n, bool formula)
{
	bool quote = n == 0;

	for (size_t i = 0; i < n && !quote; i++)
		quote = p[i] == '"' || p[i] == ',' || p[i] == '\n' || p[i] == '\r';
	if (quote)
		putc_unlocked('"', f);
	if (formula)
		putc_unlocked('\'', f);
	while (n > 0) {
		const char *mark = quote ? memchr(p, '"', n) : NULL;
		const size_t part = mark ? (size_t)(mark - p) + 1 : n;

		put(f, p, part);
		if (mark)
			putc_unlocked('"', f);
		p += part;
		n -= part;
	}
	if (quote)
		putc_unlocked('"', f);
}

static void put_quoted(const struct pm_export_file *x, const char *p, size_t n)
{
	put_marked(x->f, p, n, x->spreadsheet && looks_like_formula(p, n));
}

void pm_csv_text(FILE *f, const char *p, size_t n)
{
	put_marked(f, p, n, false);
}

/* The line of the names. Those of tables of the database need no quotes, as is_header() knows. */
static void put_header(const struct pm_export_file *x,
		       void (*put_text)(const struct pm_export_file *, const char *, size_t),
		       const char *separator, const char *end)
{
	for (size_t i = 0; i < x->columns; i++) {
		const char *behind = i + 1 < x->columns ? separator : end;

		put_text(x, x->column[i].name, strlen(x->column[i].name));
		put(x->f, behind, strlen(behind));
	}
}

static int begin_csv(struct pm_export_file *x, struct pm_err *e)
{
	(void)e;
	put_header(x, put_quoted, ",", "\r\n");
	return 0;
}

static int row_csv(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	(void)e;
	for (size_t i = 0; i < x->columns; i++) {
		if (i > 0)
			putc_unlocked(',', x->f);
		if (!put_number(x->f, &v[i]))
			put_quoted(x, v[i].text, v[i].length);
	}
	put(x->f, "\r\n", 2);
	return 0;
}

static int end(struct pm_export_file *x, struct pm_err *e)
{
	(void)x;
	(void)e;
	return 0;
}

/* Write a text in one field: a tab, newline, carriage return or backslash becomes \t, \n, \r, \\.
 */
static void put_escaped(const struct pm_export_file *x, const char *p, size_t n)
{
	if (x->spreadsheet && looks_like_formula(p, n))
		putc_unlocked('\'', x->f);
	while (n > 0) {
		size_t plain = 0;

		while (plain < n && !memchr("\t\n\r\\", p[plain], 4))
			plain++;
		put(x->f, p, plain);
		if (plain == n)
			return;
		putc_unlocked('\\', x->f);
		putc_unlocked(p[plain] == '\t'   ? 't'
			      : p[plain] == '\n' ? 'n'
			      : p[plain] == '\r' ? 'r'
						 : '\\',
			      x->f);
		p += plain + 1;
		n -= plain + 1;
	}
}

static int begin_tsv(struct pm_export_file *x, struct pm_err *e)
{
	(void)e;
	put_header(x, put_escaped, "\t", "\n");
	return 0;
}

static int row_tsv(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	(void)e;
	for (size_t i = 0; i < x->columns; i++) {
		if (i > 0)
			putc_unlocked('\t', x->f);
		if (!put_number(x->f, &v[i]))
			put_escaped(x, v[i].text, v[i].length);
	}
	putc_unlocked('\n', x->f);
	return 0;
}

/* Whether a line is that of the names. */
static bool is_header(const struct pm_export_file *x, const char *line, size_t n,
		      const char *separator, const char *end)
{
	size_t at = 0;

	for (size_t i = 0; i < x->columns; i++) {
		const char *behind = i + 1 < x->columns ? separator : end;
		const size_t name = strlen(x->column[i].name), more = strlen(behind);

		if (n - at < name + more || memcmp(line + at, x->column[i].name, name) != 0 ||
		    memcmp(line + at + name, behind, more) != 0)
			return false;
		at += name + more;
	}
	return at == n;
}

static bool fits_csv(const struct pm_export_file *x, const char *line, size_t n)
{
	return is_header(x, line, n, ",", "\r\n");
}

static bool fits_tsv(const struct pm_export_file *x, const char *line, size_t n)
{
	return is_header(x, line, n, "\t", "\n");
}

const struct pm_export_format pm_export_csv = { "csv", ".csv", begin_csv, row_csv,
						end,   NULL,   fits_csv };
const struct pm_export_format pm_export_tsv = { "tsv", ".tsv .tab", begin_tsv, row_tsv,
						end,   NULL,        fits_tsv };
