/* papiex's CSV: what a backslash escapes, and where a line of names is. */
#include "config.h"

#include "submit/papiex_csv.h"

#include <stdlib.h>
#include <string.h>

/* Undo the escapes of a field in place; others than papiex's stay as they are. */
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

/* Cut a line at its commas, in place. Returns how many fields there are, at most PM_PAPIEX_COLUMNS
 * + 1. */
static size_t split(char *line, size_t n, struct pm_str *field)
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

static int has(const struct pm_str *field, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (field[i].n == strlen(name) && memcmp(field[i].p, name, field[i].n) == 0)
			return 1;
	return 0;
}

/* A line of names: no process has arguments that read like this. */
static int is_names(const struct pm_str *field, size_t n)
{
	return has(field, n, "pid") && has(field, n, "start") && has(field, n, "numtids");
}

static int take(struct pm_papiex *x, const struct pm_str *field, size_t count, const char **why,
		const char **column, struct pm_err *e)
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
		*why = "no names of columns before it";
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
	rc = take(x, field, split(copy, n, field), why, column, e);
	free(copy);
	return rc;
}
