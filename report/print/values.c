/* Print rows of a query as JSON and CSV. */
#include "config.h"

#include "report/print/values.h"

#include "common/job/job.h"
#include "common/safe/columns.h"
#include "common/safe/tsv.h"
#include "common/terminal.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *pm_values_bytes(const char *p, size_t n)
{
	json_t *s = json_stringn(p, n);
	char *hex;

	if (s)
		return s;
	hex = malloc(2 * n + 1);
	if (!hex)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = "0123456789abcdef"[(unsigned char)p[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[(unsigned char)p[i] & 15];
	}
	s = json_pack("{s:s%}", "hex", hex, 2 * n);
	free(hex);
	return s;
}

json_t *pm_values_escaped(const char *p, size_t n)
{
	char *raw = malloc(n ? n : 1);
	json_t *s;
	long len;

	if (!raw)
		return NULL;
	len = pm_tsv_unescape(raw, p, n);
	s = len < 0 ? pm_values_bytes(p, n) : pm_values_bytes(raw, (size_t)len);
	free(raw);
	return s;
}

/* Convert the marker that ends a cut list: \+<bytes>:<digest>. Returns NULL for any other item. */
static json_t *cut_json(const char *p, size_t n)
{
	const char *colon = n > 2 && p[0] == '\\' && p[1] == '+' ? memchr(p, ':', n) : NULL;
	int64_t bytes;

	if (!colon || pm_tsv_number(p + 2, (size_t)(colon - p - 2), &bytes) < 0)
		return NULL;
	return json_pack("{s:{s:I,s:s%}}", "cut", "bytes", (json_int_t)bytes, "fnv1a_64", colon + 1,
			 (size_t)(p + n - colon - 1));
}

json_t *pm_values_safe(const char *text)
{
	json_t *j = json_string(text);
	char s[2048];

	if (j)
		return j;
	pm_text_safe(s, sizeof s, text, strlen(text), true);
	return json_string(s);
}

json_t *pm_values_args(const char *list, size_t n)
{
	struct pm_str rest = { list, n }, item;
	json_t *array = json_array();

	while (array && pm_tsv_next_item(&rest, &item)) {
		json_t *j = cut_json(item.p, item.n);

		if (!j)
			j = pm_values_escaped(item.p, item.n);
		if (json_array_append_new(array, j) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

bool pm_values_is_json(const char *name)
{
	for (int k = 0; k < PM_JOB_KEYS; k++)
		if (strcmp(pm_job_info[k].column, name) == 0)
			return pm_job_info[k].type == PM_JOB_TYPE_LIST ||
			       pm_job_info[k].type == PM_JOB_TYPE_MAP ||
			       pm_job_info[k].type == PM_JOB_TYPE_OBJECTS;
	return false;
}

/* Whether empty text in a column means "none". Such columns are NOT NULL in the schema. */
static bool is_none(const char *name)
{
	static const char *const names[] = { "cluster", "user", "array_task", "object", "unit" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static json_t *text_json(struct pm_stmt *q, int i, enum pm_values_text text)
{
	const char *name = pm_db_column_name(q, i);
	size_t n = 0;
	const char *p = pm_db_text(q, i, &n);
	json_t *j = NULL;

	if (!p || (n == 0 && is_none(name)))
		return json_null();
	if (text == PM_VALUES_ESCAPED) {
		int c = pm_column_find(name, strlen(name));

		if (c == PM_COL_args)
			return pm_values_args(p, n);
		return pm_values_escaped(p, n);
	}
	if (pm_values_is_json(name))
		j = json_loadb(p, n, JSON_DECODE_ANY, NULL);
	return j ? j : pm_values_bytes(p, n);
}

static json_t *blob_json(struct pm_stmt *q, int i)
{
	size_t n = 0;
	const char *p = pm_db_blob(q, i, &n);

	return pm_values_bytes(p ? p : "", p ? n : 0);
}

/* Print one value. Numbers are printed directly: building them as JSON first takes most of the time
 * for a big job. */
static int print_value(FILE *f, struct pm_stmt *q, int i, enum pm_values_text text)
{
	enum pm_db_type type = pm_db_type(q, i);
	json_t *j;
	int rc;

	if (type == PM_DB_NULL) {
		fputs("null", f);
		return 0;
	}
	if (type == PM_DB_INTEGER) {
		fprintf(f, "%lld", (long long)pm_db_int(q, i));
		return 0;
	}
	if (type == PM_DB_REAL) {
		double v = pm_db_real(q, i);

		/* JSON has no infinity and no NaN. */
		j = isfinite(v) ? json_real(v) : json_null();
	} else {
		j = type == PM_DB_BLOB ? blob_json(q, i) : text_json(q, i, text);
	}
	if (!j)
		return -1;
	rc = json_dumpf(j, f, PM_VALUES_DUMP | JSON_ENCODE_ANY);
	json_decref(j);
	return rc;
}

int pm_values_dump(json_t *value, struct pm_err *e)
{
	const int rc = value ? json_dumpf(value, stdout, PM_VALUES_DUMP) : -1;

	json_decref(value);
	if (rc < 0)
		return pm_err(e, "print JSON: out of memory or not writable");
	putchar('\n');
	return 0;
}

int pm_values_print(FILE *f, struct pm_stmt *q, enum pm_values_text text, struct pm_err *e)
{
	int columns = pm_db_columns(q);

	fputc('{', f);
	for (int i = 0; i < columns; i++) {
		fprintf(f, "%s\"%s\":", i ? "," : "", pm_db_column_name(q, i));
		if (print_value(f, q, i, text) < 0)
			return pm_err(e, "print JSON: out of memory or not writable");
	}
	fputc('}', f);
	return 0;
}

int pm_values_json(FILE *f, struct pm_stmt *q, enum pm_values_text text, int indent,
		   struct pm_err *e)
{
	bool first = true;
	int rc;

	fputc('[', f);
	while ((rc = pm_db_step(q, e)) > 0) {
		fprintf(f, "%s\n%*s", first ? "" : ",", indent, "");
		first = false;
		if (pm_values_print(f, q, text, e) < 0)
			return -1;
	}
	if (!first)
		fprintf(f, "\n%*s", indent > 1 ? indent - 2 : 0, "");
	fputc(']', f);
	return rc;
}

void pm_values_csv_text(FILE *f, const char *p, size_t n)
{
	bool quote = false;

	for (size_t i = 0; i < n; i++)
		quote |= p[i] == '"' || p[i] == ',' || p[i] == ' ';
	if (quote)
		fputc('"', f);
	for (size_t i = 0; i < n;) {
		char piece[PM_TERMINAL_PIECE];
		size_t len;

		if (p[i] == '"')
			fputc('"', f);
		i += pm_terminal_piece(p + i, n - i, true, piece, &len);
		fwrite(piece, 1, len, f);
	}
	if (quote)
		fputc('"', f);
}

void pm_values_csv_names(FILE *f, struct pm_stmt *q, int columns)
{
	for (int i = 0; i < columns; i++) {
		const char *name = pm_db_column_name(q, i);

		fputs(i ? "," : "", f);
		pm_values_csv_text(f, name, strlen(name));
	}
	fputs("\r\n", f);
}

void pm_values_csv_row(FILE *f, struct pm_stmt *q, int columns)
{
	for (int i = 0; i < columns; i++) {
		enum pm_db_type type = pm_db_type(q, i);
		size_t n = 0;
		const char *p;

		fputs(i ? "," : "", f);
		if (type == PM_DB_REAL) {
			fprintf(f, "%.15g", pm_db_real(q, i));
		} else if (type == PM_DB_INTEGER) {
			fprintf(f, "%lld", (long long)pm_db_int(q, i));
		} else if (type != PM_DB_NULL) {
			p = type == PM_DB_BLOB ? pm_db_blob(q, i, &n) : pm_db_text(q, i, &n);
			pm_values_csv_text(f, p ? p : "", p ? n : 0);
		}
	}
	fputs("\r\n", f);
}
