/* Parser of papiex's CSV: escapes and lines of names. */
#include "config.h"

#include "submit/foreign/papiex_csv.h"

#include <stdlib.h>
#include <string.h>

/* Decode papiex's escapes of a field in place; other backslashes stay. Returns the new length. */
static size_t unescape(char *p, size_t n)
{
	static const char code[] = "ntr\\,", text[] = "\n\t\r\\,";
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		const char *c =
			p[i] == '\\' && i + 1 < n && p[i + 1] ? strchr(code, p[i + 1]) : NULL;

		p[to++] = c ? text[c - code] : p[i];
		i += c != NULL;
	}
	return to;
}

/* Split a line at its commas, in place. Returns the number of fields, at most PM_PAPIEX_COLUMNS +
 * 1. */
static size_t split_fields(char *line, size_t n, struct pm_str *field)
{
	size_t count = 0, start = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && line[i] == '\\' && i + 1 < n) {
			i++;
			continue;
		}
		if (i < n && line[i] != ',')
			continue;
		if (count < PM_PAPIEX_COLUMNS) {
			field[count].p = line + start;
			field[count].n = unescape(line + start, i - start);
		}
		if (++count > PM_PAPIEX_COLUMNS)
			break;
		start = i + 1;
	}
	return count;
}

static int has_field(const struct pm_str *field, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (field[i].n == strlen(name) && memcmp(field[i].p, name, field[i].n) == 0)
			return 1;
	return 0;
}

/* Whether a line has column names: no process has arguments like these. */
static int is_names(const struct pm_str *field, size_t n)
{
	return has_field(field, n, "pid") && has_field(field, n, "start") &&
	       has_field(field, n, "numtids");
}

static int take_fields(struct pm_papiex *x, const struct pm_str *field, size_t count,
		       const char **why, const char **column, struct pm_err *e)
{
	if (count > PM_PAPIEX_COLUMNS) {
		*why = "too many fields";
		return 1;
	}
	if (is_names(field, count)) {
		if (pm_papiex_end(x, e) < 0)
			return -1;
		return pm_papiex_columns(x, field, count, why, e);
	}
	if (x->named.columns == 0) {
		*why = "no line with the column names before it";
		return 1;
	}
	if (count != x->named.columns) {
		*why = count < x->named.columns ? "too few fields: the line is cut"
						: "too many fields";
		return 1;
	}
	return pm_papiex_row(x, field, why, column, e);
}

int pm_papiex_csv_line(struct pm_papiex *x, const char *line, size_t n, const char **why,
		       const char **column, struct pm_err *e)
{
	struct pm_str field[PM_PAPIEX_COLUMNS];
	char *copy;
	int rc;

	*why = *column = NULL;
	if (x->named.columns == 0 && line[0] == '#')
		return 0;
	copy = malloc(n);
	if (!copy)
		return pm_err(e, "out of memory");
	memcpy(copy, line, n);
	if (n && copy[n - 1] == '\r')
		n--;
	rc = take_fields(x, field, split_fields(copy, n, field), why, column, e);
	free(copy);
	return rc;
}
