/* Rows of a query as values. */
#include "config.h"

#include "export/row.h"

#include "common/safe/columns.h"
#include "common/safe/tsv.h"
#include "common/shellword.h"
#include "common/utf8.h"
#include "report/print/values.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tables of the schema that the rows of a table of `perfmon list` are made of. */
static const struct origin {
	const char *list, *table[3];
} origins[] = {
	{ "jobs", { "job" } },
	{ "processes", { "process", "host" } },
	{ "threads", { "thread_row", "process" } },
	{ "counters", { "counter" } },
	{ "hosts", { "host" } },
	{ "summaries", { "node_summary", "host" } },
	{ "energy", { "energy", "host" } },
	{ "phases", { "phase", "host" } },
	{ "tags", { "tag_set" } },
	{ "annotations", { "annotation" } },
	{ "analyses", { "analysis" } },
	{ "series", { "series", "host" } },
	{ "samples", { "sample_block", "series", "host" } },
	{ "rejects", { "reject" } },
	{ "metrics", { "metric" } },
};

static enum pm_export_type type_of(const struct pm_schema_column *c)
{
	switch (c->type) {
	case PM_SCHEMA_REAL:
		return PM_EXPORT_REAL;
	case PM_SCHEMA_TEXT:
		return pm_values_is_json(c->name) ? PM_EXPORT_JSON : PM_EXPORT_TEXT;
	case PM_SCHEMA_BLOB:
		return PM_EXPORT_TEXT;
	case PM_SCHEMA_INTEGER:
	case PM_SCHEMA_ID:
		break;
	}
	return PM_EXPORT_INTEGER;
}

/* How a metric combines; NULL where the column is none of records. */
static const char *kind_of(const char *table, const char *name)
{
	const int c = strcmp(table, "process") == 0 || strcmp(table, "thread_row") == 0
			      ? pm_column_find(name, strlen(name))
			      : -1;

	return c < 0 ? NULL : pm_kind_name(pm_column_info[c].kind);
}

struct pm_export_column pm_export_row_column(const struct pm_schema_table *t, int i,
					     const char *name)
{
	const struct pm_schema_column *c = &t->column[i];

	return (struct pm_export_column){ name, type_of(c), c->unit, kind_of(t->name, c->name),
					  c->help };
}

/* What a column is, by the schema; what is not stored there is a number. */
static struct pm_export_column describe(const struct pm_list_table *t, const char *name)
{
	for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
		if (strcmp(origins[i].list, t->name) != 0)
			continue;
		for (size_t k = 0; k < 3 && origins[i].table[k]; k++) {
			const struct pm_schema_table *s = pm_schema_find(origins[i].table[k]);
			const int at = s ? pm_schema_index(s, name) : -1;

			if (at >= 0)
				return pm_export_row_column(s, at, name);
		}
	}
	return (struct pm_export_column){ name,
					  strcmp(name, "reason") == 0 ? PM_EXPORT_TEXT
								      : PM_EXPORT_INTEGER,
					  NULL, NULL, NULL };
}

/* Make room for n columns and the one behind them. Returns 0, or -1 if out of memory. */
static int make_room(struct pm_export_row *r, size_t n)
{
	r->column = calloc(n + 1, sizeof *r->column);
	r->value = calloc(n + 1, sizeof *r->value);
	r->copy = calloc(n + 1, sizeof *r->copy);
	return r->column && r->value && r->copy ? 0 : -1;
}

/* Add a column, with a name of its own. Returns 0, or -1 if out of memory. */
static int add_column(struct pm_export_row *r, struct pm_export_column column)
{
	column.name = strdup(column.name);
	if (!column.name)
		return -1;
	r->column[r->n++] = column;
	return 0;
}

static int add_exact(struct pm_export_row *r)
{
	return add_column(
		r, (struct pm_export_column){ .name = PM_EXPORT_EXACT, .type = PM_EXPORT_JSON });
}

int pm_export_row_init(struct pm_export_row *r, const struct pm_list_table *t, struct pm_stmt *q,
		       struct pm_err *e)
{
	const size_t n = (size_t)pm_db_columns(q);

	*r = (struct pm_export_row){ .text = t->text, .args = SIZE_MAX };
	if (make_room(r, n) < 0)
		return pm_err(e, "out of memory");
	while (r->n < n) {
		/* That of the statement is gone when the statement is reset. */
		const char *name = pm_db_column_name(q, (int)r->n);

		if (t->text == PM_VALUES_ESCAPED && strcmp(name, "args") == 0)
			r->args = r->n;
		if (add_column(r, describe(t, name)) < 0)
			return pm_err(e, "out of memory");
	}
	return add_exact(r) < 0 ? pm_err(e, "out of memory") : 0;
}

int pm_export_row_make(struct pm_export_row *r, enum pm_values_text text,
		       const struct pm_export_column *column, size_t n, struct pm_err *e)
{
	*r = (struct pm_export_row){ .text = text, .args = SIZE_MAX };
	if (make_room(r, n) < 0)
		return pm_err(e, "out of memory");
	while (r->n < n)
		if (add_column(r, column[r->n]) < 0)
			return pm_err(e, "out of memory");
	return add_exact(r) < 0 ? pm_err(e, "out of memory") : 0;
}

bool pm_export_row_fits(const struct pm_export_row *r, struct pm_stmt *q)
{
	if ((size_t)pm_db_columns(q) + 1 != r->n)
		return false;
	for (size_t i = 0; i + 1 < r->n; i++)
		if (strcmp(r->column[i].name, pm_db_column_name(q, (int)i)) != 0)
			return false;
	return true;
}

void pm_export_row_free(struct pm_export_row *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free((char *)(uintptr_t)r->column[i].name);
		pm_bytes_free(&r->copy[i]);
	}
	free(r->column);
	free(r->value);
	free(r->copy);
	free(r->exact);
	json_decref(r->forms);
	*r = (struct pm_export_row){ .n = 0 };
}

/* Append an escaped field or item, decoded; malformed text stays as it is. Returns as
 * pm_utf8_add_text().
 */
static bool add_escaped(struct pm_bytes *to, const char *p, size_t n)
{
	char *raw;
	long len;
	bool whole;

	if (!memchr(p, '\\', n))
		return pm_utf8_add_text(to, p, n);
	raw = malloc(n);
	if (!raw) {
		to->failed = true;
		return true;
	}
	len = pm_tsv_unescape(raw, p, n);
	whole = len < 0 ? pm_utf8_add_text(to, p, n) : pm_utf8_add_text(to, raw, (size_t)len);
	free(raw);
	return whole;
}

/* Append a list of arguments as a command line of a shell, without the marker of a list that was
 * cut. Returns as pm_utf8_add_text(), false for such a list. */
static bool add_args(struct pm_bytes *to, const char *p, size_t n)
{
	struct pm_str rest = { p, n }, item;
	struct pm_bytes word = { .p = NULL };
	bool whole = true;

	while (pm_tsv_next_item(&rest, &item)) {
		if (pm_tsv_is_cut(item.p, item.n)) {
			whole = false;
			continue;
		}
		if (to->n > 0)
			pm_bytes_byte(to, ' ');
		word.n = 0;
		whole &= add_escaped(&word, item.p, item.n);
		pm_shellword_add(to, (const char *)word.p, word.n);
	}
	to->failed |= word.failed;
	pm_bytes_free(&word);
	return whole;
}

static bool is_escaped(const struct pm_export_row *r, size_t i)
{
	return r->text == PM_VALUES_ESCAPED && i >= r->plain;
}

/* The exact form of a text, as in `list --json`. A new reference, NULL if out of memory. */
static json_t *exact_form(const struct pm_export_row *r, size_t i, const char *p, size_t n)
{
	if (i == r->args)
		return pm_values_args(p, n);
	return is_escaped(r, i) ? pm_values_escaped(p, n) : pm_values_bytes(p, n);
}

/* Take a text. Returns whether it is whole. */
static bool take_text(struct pm_export_row *r, size_t i, const char *p, size_t n)
{
	struct pm_export_value *v = &r->value[i];
	struct pm_bytes *copy = &r->copy[i];
	bool whole;

	copy->n = 0;
	v->type = PM_DB_TEXT;
	if (i == r->args) {
		whole = add_args(copy, p, n);
	} else if (is_escaped(r, i) && memchr(p, '\\', n)) {
		whole = add_escaped(copy, p, n);
	} else if (pm_utf8_is_text(p, n)) {
		v->text = p;
		v->length = n;
		return true;
	} else {
		whole = pm_utf8_add_text(copy, p, n);
	}
	v->text = copy->n ? (const char *)copy->p : "";
	v->length = copy->n;
	return whole;
}

/* Whether a value is not of its column's type. */
static bool is_odd(const struct pm_export_row *r, size_t i)
{
	const enum pm_export_type type = r->column[i].type;

	return r->value[i].type == PM_DB_TEXT   ? type < PM_EXPORT_TEXT
	       : r->value[i].type == PM_DB_REAL ? type != PM_EXPORT_REAL
						: false;
}

/* The value of a number, as JSON; none where it has no such. */
static json_t *number_form(const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER];

	if (v->type == PM_DB_INTEGER)
		return json_integer(v->integer);
	pm_export_real(s, v->real);
	return isfinite(v->real) ? json_real(v->real) : json_string(s);
}

/* Note the exact form of a column's value. Returns 0, or -1 if out of memory. */
static int note_exact(struct pm_export_row *r, size_t i, json_t *form)
{
	if (!r->forms && !(r->forms = json_object())) {
		json_decref(form);
		return -1;
	}
	return json_object_set_new(r->forms, r->column[i].name, form);
}

/* Take a value. Its exact form is noted where the text is not whole, or the value is not of its
 * column's type. Returns 0, or -1 if out of memory. */
static int take_value(struct pm_export_row *r, size_t i, struct pm_stmt *q)
{
	struct pm_export_value *v = &r->value[i];
	const char *p = NULL;
	size_t n = 0;
	bool whole = true;

	v->type = pm_db_type(q, (int)i);
	switch (v->type) {
	case PM_DB_NULL:
		return 0;
	case PM_DB_INTEGER:
		v->integer = pm_db_int(q, (int)i);
		return 0;
	case PM_DB_REAL:
		v->real = pm_db_real(q, (int)i);
		break;
	case PM_DB_TEXT:
		p = pm_db_text(q, (int)i, &n);
		break;
	case PM_DB_BLOB:
		p = pm_db_blob(q, (int)i, &n);
		break;
	}
	if (v->type != PM_DB_REAL)
		whole = take_text(r, i, p ? p : "", p ? n : 0);
	if (r->copy[i].failed)
		return -1;
	if (is_odd(r, i)) {
		r->odd++;
		r->odd_column = r->column[i].name;
		whole = false;
	}
	if (whole)
		return 0;
	return note_exact(r, i,
			  v->type == PM_DB_REAL ? number_form(v) : exact_form(r, i, p ? p : "", n));
}

int pm_export_row_text(struct pm_export_row *r, size_t i, const char *p, size_t n)
{
	const bool whole = take_text(r, i, p, n);

	if (r->copy[i].failed)
		return -1;
	return whole ? 0 : note_exact(r, i, exact_form(r, i, p, n));
}

int pm_export_row_end(struct pm_export_row *r, struct pm_err *e)
{
	struct pm_export_value *last = &r->value[r->n - 1];
	json_t *forms = r->forms;

	free(r->exact);
	r->exact = forms ? json_dumps(forms, PM_VALUES_DUMP) : NULL;
	*last = (struct pm_export_value){ .type = PM_DB_NULL };
	if (r->exact)
		*last = (struct pm_export_value){ .type = PM_DB_TEXT,
						  .text = r->exact,
						  .length = strlen(r->exact) };
	r->forms = NULL;
	json_decref(forms);
	return forms && !r->exact ? pm_err(e, "out of memory") : 0;
}

int pm_export_row_take(struct pm_export_row *r, struct pm_stmt *q, struct pm_err *e)
{
	for (size_t i = 0; i + 1 < r->n; i++)
		if (take_value(r, i, q) < 0)
			return pm_err(e, "out of memory");
	return pm_export_row_end(r, e);
}
