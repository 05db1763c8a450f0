/* Tables in HDF5 files, which know no unknown values: flags beside them do. */
#include "config.h"

#include "export/hdf5_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pm_hdf5_table {
	struct pm_hdf5 *h;
	int64_t group;
	const struct pm_export_column *column;
	size_t n;
	struct pm_hdf5_dataset **data; /* of each column */
	struct pm_hdf5_dataset *unknown;
};

static enum pm_hdf5_type type_of(enum pm_export_type type)
{
	return type == PM_EXPORT_INTEGER ? PM_HDF5_INTEGER
	       : type == PM_EXPORT_REAL  ? PM_HDF5_REAL
					 : PM_HDF5_TEXT;
}

/* Begin the datasets. Returns 0, or -1 with e filled. */
static int make_datasets(struct pm_hdf5_table *t, struct pm_err *e)
{
	const struct pm_hdf5_about flags = {
		.name = PM_HDF5_TABLE_UNKNOWN,
		.type = PM_HDF5_FLAG,
		.width = t->n,
		.help = "whether the value of each column is unknown"
	};

	for (size_t i = 0; i < t->n; i++) {
		const struct pm_export_column *c = &t->column[i];
		const struct pm_hdf5_about about = { .name = c->name,
						     .type = type_of(c->type),
						     .unit = c->unit && *c->unit ? c->unit : NULL,
						     .kind = c->kind,
						     .help = c->help };

		t->data[i] = pm_hdf5_dataset_new(t->h, t->group, &about, e);
		if (!t->data[i])
			return -1;
	}
	t->unknown = pm_hdf5_dataset_new(t->h, t->group, &flags, e);
	return t->unknown ? 0 : -1;
}

/* Name the columns in their order, which a group does not have. Returns 0, or -1 with e filled. */
static int note_columns(struct pm_hdf5_table *t, struct pm_err *e)
{
	const char **name = calloc(t->n, sizeof *name);
	int rc;

	if (!name)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < t->n; i++)
		name[i] = t->column[i].name;
	rc = pm_hdf5_note_texts(t->h, t->group, "columns", name, t->n, e);
	free(name);
	return rc;
}

struct pm_hdf5_table *pm_hdf5_table_new(struct pm_hdf5 *h, int64_t parent, const char *name,
					const struct pm_export_column *column, size_t n,
					struct pm_err *e)
{
	struct pm_hdf5_table *t = calloc(1, sizeof *t);

	if (!t || !(t->data = calloc(n, sizeof(struct pm_hdf5_dataset *)))) {
		free(t);
		pm_err(e, "out of memory");
		return NULL;
	}
	t->h = h;
	t->column = column;
	t->n = n;
	t->group = pm_hdf5_group(h, parent, name, strlen(name), 0, e);
	if (t->group >= 0 && note_columns(t, e) == 0 && make_datasets(t, e) == 0)
		return t;
	pm_hdf5_table_free(t);
	return NULL;
}

static void put_text(struct pm_hdf5_dataset *d, const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER];

	if (v->type == PM_DB_TEXT)
		pm_hdf5_dataset_text(d, v->text, v->length);
	else if (v->type == PM_DB_REAL)
		pm_hdf5_dataset_text(d, s, pm_export_real(s, v->real));
	else if (v->type == PM_DB_INTEGER)
		pm_hdf5_dataset_text(d, s, pm_export_integer(s, v->integer));
	else
		pm_hdf5_dataset_text(d, "", 0);
}

/* Add a value to its dataset. Returns whether it is known there. */
static bool put_value(struct pm_hdf5_dataset *d, enum pm_hdf5_type type,
		      const struct pm_export_value *v)
{
	const bool integer = v->type == PM_DB_INTEGER, real = v->type == PM_DB_REAL;

	switch (type) {
	case PM_HDF5_INTEGER:
		pm_hdf5_dataset_integer(d, integer ? v->integer : PM_HDF5_UNKNOWN);
		return integer;
	case PM_HDF5_REAL:
		pm_hdf5_dataset_real(d, real      ? v->real
					: integer ? (double)v->integer
						  : (double)NAN);
		return real || integer;
	default:
		put_text(d, v);
		return v->type != PM_DB_NULL;
	}
}

int pm_hdf5_table_row(struct pm_hdf5_table *t, const struct pm_export_value *v, struct pm_err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const bool known = put_value(t->data[i], type_of(t->column[i].type), &v[i]);

		pm_hdf5_dataset_code(t->unknown, !known);
		if (pm_hdf5_dataset_fit(t->data[i], e) < 0)
			return -1;
	}
	return pm_hdf5_dataset_fit(t->unknown, e);
}

int pm_hdf5_table_finish(struct pm_hdf5_table *t, struct pm_err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		rc = pm_hdf5_dataset_finish(t->data[i], NULL, NULL, 0, e);
		t->data[i] = NULL;
	}
	if (rc == 0) {
		rc = pm_hdf5_dataset_finish(t->unknown, NULL, NULL, 0, e);
		t->unknown = NULL;
	}
	pm_hdf5_table_free(t);
	return rc;
}

void pm_hdf5_table_free(struct pm_hdf5_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		pm_hdf5_dataset_free(t->data[i]);
	pm_hdf5_dataset_free(t->unknown);
	pm_hdf5_group_close(t->h, t->group);
	free(t->data);
	free(t);
}
