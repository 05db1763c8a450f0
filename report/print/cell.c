/* Format values of a query's row as cells of a table. */
#include "config.h"

#include "report/print/cell.h"

#include "common/text.h"
#include "report/print/format.h"

#include <math.h>
#include <string.h>

/* Longest text of a cell in bytes; no page is wide enough for more. */
#define CELL_MAX 1024

/* Append a number, PM_UNKNOWN for none, as `format` writes it. */
static void put_number(struct pm_table *t, int64_t n, const char *(*format)(char *text, int64_t n))
{
	char s[PM_FORMAT_MAX];

	pm_table_value(t, n == PM_UNKNOWN ? NAN : (double)n);
	pm_table_cell(t, format(s, n));
}

/* Append a number, NaN for none. */
static void put_real(struct pm_table *t, double v, const char *(*format)(char *text, double v))
{
	char s[PM_FORMAT_MAX];

	pm_table_value(t, v);
	pm_table_cell(t, format(s, v));
}

/* Digits without grouping. */
static const char *format_id(char *text, int64_t n)
{
	if (n == PM_UNKNOWN)
		snprintf(text, PM_FORMAT_MAX, "unknown");
	else
		snprintf(text, PM_FORMAT_MAX, "%lld", (long long)n);
	return text;
}

void pm_cell_duration(struct pm_table *t, int64_t us)
{
	put_number(t, us, pm_format_duration);
}

void pm_cell_bytes(struct pm_table *t, int64_t bytes)
{
	put_number(t, bytes, pm_format_bytes);
}

void pm_cell_share(struct pm_table *t, double share)
{
	put_real(t, share, pm_format_share);
}

void pm_cell_number(struct pm_table *t, double v)
{
	put_real(t, v, pm_format_number);
}

void pm_cell_energy(struct pm_table *t, int64_t uj)
{
	put_number(t, uj, pm_format_energy);
}

void pm_cell_power(struct pm_table *t, int64_t uw)
{
	put_number(t, uw, pm_format_power);
}

void pm_cell_count(struct pm_table *t, int64_t n)
{
	put_number(t, n, pm_format_count);
}

void pm_cell_id(struct pm_table *t, int64_t n)
{
	put_number(t, n, format_id);
}

void pm_cell_field(struct pm_table *t, struct pm_stmt *q, int i)
{
	char s[CELL_MAX];

	pm_text_field(s, sizeof s, pm_db_text(q, i, NULL), t->page->utf8);
	pm_table_cell(t, s);
}

void pm_cell_plain(struct pm_table *t, struct pm_stmt *q, int i)
{
	char s[CELL_MAX];
	size_t n = 0;
	const char *text = pm_db_text(q, i, &n);

	pm_text_safe(s, sizeof s, text ? text : "", text ? n : 0, t->page->utf8);
	pm_table_cell(t, s);
}

void pm_cell_host(struct pm_table *t, struct pm_stmt *q, int i)
{
	const char *text = pm_db_text(q, i, NULL);

	if (text && *text)
		pm_cell_plain(t, q, i);
	else
		pm_table_cell(t, "unknown");
}

const char *pm_cell_ending(char *dst, const char *reason, int64_t status, int64_t signal)
{
	if (signal > 0)
		pm_format_signal(dst, signal);
	else if (reason && (strcmp(reason, "exec") == 0 || strcmp(reason, "running") == 0 ||
			    strcmp(reason, "signal") == 0))
		snprintf(dst, PM_FORMAT_MAX, "%s", reason);
	else if (status == 0)
		snprintf(dst, PM_FORMAT_MAX, "0");
	else if (status != PM_UNKNOWN)
		snprintf(dst, PM_FORMAT_MAX, "status %lld", (long long)status);
	else
		snprintf(dst, PM_FORMAT_MAX, "unknown");
	return dst;
}
