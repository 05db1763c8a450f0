/* The format parquet: rows given to the writer of Parquet files. */
#include "config.h"

#include "export/format.h"
#include "export/parquet/parquet.h"

#include <stdlib.h>

/* What a file that is being written has. */
struct own {
	struct pm_parquet *writer;
	struct pm_parquet_column *column;
};

static void release(struct pm_export_file *x)
{
	struct own *o = x->own;

	if (!o)
		return;
	pm_parquet_free(o->writer);
	free(o->column);
	free(o);
	x->own = NULL;
}

static int begin(struct pm_export_file *x, struct pm_err *e)
{
	struct own *o = calloc(1, sizeof *o);

	x->own = o;
	if (!o || !(o->column = calloc(x->columns, sizeof *o->column)))
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->columns; i++)
		o->column[i] = (struct pm_parquet_column){
			x->column[i].name,
			x->column[i].type == PM_EXPORT_INTEGER ? PM_PARQUET_INT
			: x->column[i].type == PM_EXPORT_REAL  ? PM_PARQUET_REAL
							       : PM_PARQUET_TEXT,
		};
	o->writer = pm_parquet_new(x->f, o->column, x->columns, e);
	if (!o->writer)
		return -1;
	pm_parquet_note(o->writer, "perfmon", PACKAGE_VERSION);
	if (x->note)
		pm_parquet_note(o->writer, x->note_key, x->note);
	return 0;
}

/* A number as a text, in a column of texts. */
static void put_as_text(struct pm_parquet *w, size_t i, const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER];
	const size_t n = v->type == PM_DB_REAL ? pm_export_real(s, v->real)
					       : pm_export_integer(s, v->integer);

	pm_parquet_text(w, i, s, n);
}

/* What is not of its column's type, and does not fit, is unknown: the caller counts it. */
static int row(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	const struct own *o = x->own;

	for (size_t i = 0; i < x->columns; i++) {
		const enum pm_parquet_type type = o->column[i].type;

		if (v[i].type == PM_DB_NULL)
			continue;
		if (type == PM_PARQUET_TEXT && v[i].type == PM_DB_TEXT)
			pm_parquet_text(o->writer, i, v[i].text, v[i].length);
		else if (type == PM_PARQUET_TEXT)
			put_as_text(o->writer, i, &v[i]);
		else if (type == PM_PARQUET_INT && v[i].type == PM_DB_INTEGER)
			pm_parquet_int(o->writer, i, v[i].integer);
		else if (type == PM_PARQUET_REAL && v[i].type != PM_DB_TEXT)
			pm_parquet_real(o->writer, i,
					v[i].type == PM_DB_REAL ? v[i].real : (double)v[i].integer);
	}
	return pm_parquet_row(o->writer, e) < 0 ? pm_err_prefix(e, "%s", x->name) : 0;
}

static int end(struct pm_export_file *x, struct pm_err *e)
{
	const struct own *o = x->own;

	return pm_parquet_finish(o->writer, e) < 0 ? pm_err_prefix(e, "%s", x->name) : 0;
}

const struct pm_export_format pm_export_parquet = {
	"parquet", ".parquet .pq", begin, row, end, release, NULL,
};
