/* The format hdf5: rows as a table of an HDF5 file. */
#include "config.h"

#include "export/format.h"
#include "export/hdf5_table.h"

#include <stdlib.h>

/* What a file that is being written has. */
struct own {
	struct pm_hdf5 *file;
	struct pm_hdf5_table *table;
};

static void release(struct pm_export_file *x)
{
	struct own *o = x->own;

	if (!o)
		return;
	pm_hdf5_table_free(o->table);
	pm_hdf5_free(o->file);
	free(o);
	x->own = NULL;
}

static int begin(struct pm_export_file *x, struct pm_err *e)
{
	struct own *o = calloc(1, sizeof *o);

	x->own = o;
	if (!o)
		return pm_err(e, "out of memory");
	o->file = pm_hdf5_new(x->f, e);
	if (!o->file)
		return -1;
	if (pm_hdf5_note_text(o->file, pm_hdf5_root(o->file), "perfmon", PACKAGE_VERSION, e) == 0)
		o->table = pm_hdf5_table_new(o->file, pm_hdf5_root(o->file), x->kind, x->column,
					     x->columns, e);
	return o->table ? 0 : -1;
}

static int row(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	const struct own *o = x->own;

	return pm_hdf5_table_row(o->table, v, e) < 0 ? pm_err_prefix(e, "%s", x->name) : 0;
}

static int end(struct pm_export_file *x, struct pm_err *e)
{
	struct own *o = x->own;
	int rc = pm_hdf5_table_finish(o->table, e);

	o->table = NULL;
	if (rc == 0)
		rc = pm_hdf5_finish(o->file, e);
	return rc < 0 ? pm_err_prefix(e, "%s", x->name) : 0;
}

const struct pm_export_format pm_export_hdf5 = {
	"hdf5", ".hdf5 .h5", begin, row, end, release, NULL,
};
