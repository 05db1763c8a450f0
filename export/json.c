/* JSON: an array of objects, and lines with an object each. */
#include "config.h"

#include "export/json.h"

#include "export/format.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Texts stay as they are; those that are JSON keep the order of their members. */
#define FLAGS (JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

/* Write a text, as the value that it is where it is JSON and not `flat`. Returns 0 or -1. */
static int put_text(FILE *f, const struct pm_export_column *c, const struct pm_export_value *v,
		    bool flat)
{
	json_t *j = NULL;
	int rc;

	if (c->type == PM_EXPORT_JSON && !flat)
		j = json_loadb(v->text, v->length, JSON_DECODE_ANY, NULL);
	if (!j)
		j = json_stringn(v->text, v->length);
	rc = j ? json_dumpf(j, f, FLAGS) : -1;
	json_decref(j);
	return rc;
}

/* Write a value; JSON has no infinity and no NaN: they are null. Returns 0 or -1. */
static int put_value(FILE *f, const struct pm_export_column *c, const struct pm_export_value *v,
		     bool flat)
{
	char s[PM_EXPORT_NUMBER];

	if (v->type == PM_DB_TEXT)
		return put_text(f, c, v, flat);
	if (v->type == PM_DB_INTEGER)
		pm_export_integer(s, v->integer);
	else if (v->type == PM_DB_REAL && isfinite(v->real))
		pm_export_real(s, v->real);
	else
		return fputs("null", f) < 0 ? -1 : 0;
	return fputs(s, f) < 0 ? -1 : 0;
}

int pm_json_members(FILE *f, const struct pm_export_column *column, const struct pm_export_value *v,
		    size_t n, bool flat)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s\"%s\":", i ? "," : "", column[i].name);
		if (put_value(f, &column[i], &v[i], flat) < 0)
			return -1;
	}
	return 0;
}

static int put_object(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	fputc('{', x->f);
	if (pm_json_members(x->f, x->column, v, x->columns, false) < 0)
		return pm_err(e, "%s: out of memory or not writable", x->name);
	fputc('}', x->f);
	return 0;
}

static int begin_array(struct pm_export_file *x, struct pm_err *e)
{
	(void)e;
	fputc('[', x->f);
	return 0;
}

static int row_array(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	fputs(x->rows ? ",\n" : "\n", x->f);
	return put_object(x, v, e);
}

static int end_array(struct pm_export_file *x, struct pm_err *e)
{
	(void)e;
	fputs(x->rows ? "\n]\n" : "]\n", x->f);
	return 0;
}

static int nothing(struct pm_export_file *x, struct pm_err *e)
{
	(void)x;
	(void)e;
	return 0;
}

static int row_line(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	if (put_object(x, v, e) < 0)
		return -1;
	fputc('\n', x->f);
	return 0;
}

/* Whether a line is an object with the same members. */
static bool fits_line(const struct pm_export_file *x, const char *line, size_t n)
{
	json_t *object = json_loadb(line, n, 0, NULL), *value;
	const char *key;
	size_t i = 0;

	json_object_foreach (object, key, value) {
		if (i < x->columns && strcmp(key, x->column[i].name) != 0)
			break;
		i++;
	}
	json_decref(object);
	return i == x->columns;
}

const struct pm_export_format pm_export_json = { "json",    ".json", begin_array, row_array,
						 end_array, NULL,    NULL };
const struct pm_export_format pm_export_jsonl = { "jsonl",  ".jsonl .ndjson", nothing,
						  row_line, nothing,          NULL,
						  fits_line };
