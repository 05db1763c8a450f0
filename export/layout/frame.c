/* DataFrames of pandas in HDF5 files, as its documentation of the table format and its files have
 * them: a group by the key, in it one dataset `table` whose fields are the index and blocks of
 * columns of one type. */
#include "config.h"

#include "export/layout/frame.h"

#include "common/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks, in their order. */
enum block { REALS, INTEGERS, TEXTS, BLOCKS };

static const struct {
	const char *name, *kind, *type;
	enum pm_hdf5_type is;
} blocks[BLOCKS] = {
	[REALS] = { "values_block_0", "values_block_0_kind", "values_block_0_dtype", PM_HDF5_REAL },
	[INTEGERS] = { "values_block_1", "values_block_1_kind", "values_block_1_dtype",
		       PM_HDF5_INTEGER },
	[TEXTS] = { "values_block_2", "values_block_2_kind", "values_block_2_dtype", PM_HDF5_TEXT },
};

/* The version of the format, as pandas counts it. */
#define PANDAS_VERSION "0.15.2"

static enum block block_of(const struct pm_frame *f, const struct pm_export_file *x, size_t i)
{
	if (x->column[i].type == PM_EXPORT_TEXT || x->column[i].type == PM_EXPORT_JSON)
		return TEXTS;
	return x->column[i].type == PM_EXPORT_REAL || f->partial[i] ? REALS : INTEGERS;
}

static int look_begin(struct pm_export_file *x, struct pm_err *e)
{
	struct pm_frame *f = x->own;

	f->width = 1;
	f->partial = calloc(x->columns + 1, sizeof *f->partial);
	return f->partial ? 0 : pm_err(e, "out of memory");
}

static int look_row(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	struct pm_frame *f = x->own;

	(void)e;
	for (size_t i = 0; i < x->columns; i++) {
		f->partial[i] = f->partial[i] || v[i].type != PM_DB_INTEGER;
		if (v[i].type == PM_DB_TEXT && v[i].length > f->width)
			f->width = v[i].length;
	}
	f->rows++;
	return 0;
}

static int look_end(struct pm_export_file *x, struct pm_err *e)
{
	(void)x, (void)e;
	return 0;
}

/* Find the names of the columns of a block, or of all: BLOCKS. Returns how many. */
static size_t find_names(const struct pm_frame *f, const struct pm_export_file *x, enum block block,
			 const char **name)
{
	size_t n = 0;

	for (size_t i = 0; i < x->columns; i++)
		if (block == BLOCKS || block_of(f, x, i) == block)
			name[n++] = x->column[i].name;
	return n;
}

/* Give the group the names of all columns: [(1, [name, ...])]. Returns 0, or -1 with e filled. */
static int note_columns(struct pm_frame *f, const char *const *name, size_t n, struct pm_err *e)
{
	struct pm_bytes pickle = { .p = NULL };
	int rc;

	pm_bytes_add(&pickle, "(l(I1\n", 6);
	pm_hdf5_pytable_pickle(&pickle, name, n);
	pm_bytes_add(&pickle, "ta.", 3);
	rc = pickle.failed ? pm_err(e, "out of memory")
			   : pm_hdf5_pytable_note_pickle(f->h, f->group, "non_index_axes",
							 (const char *)pickle.p, pickle.n, e);
	pm_bytes_free(&pickle);
	return rc;
}

/* Say in attributes of the group what it is. Returns 0, or -1 with e filled. */
static int note_group(struct pm_frame *f, const char *const *block, size_t n, struct pm_err *e)
{
	static const char *const text[][2] = {
		{ "pandas_type", "frame_table" },
		{ "pandas_version", PANDAS_VERSION },
		{ "table_type", "appendable_frame" },
		{ "encoding", "UTF-8" },
		{ "errors", "strict" },
		{ "nan_rep", "" },
	};
	static const char *const pickle[][2] = {
		{ "index_cols", "(l(I0\nVindex\nta." }, /* [(0, "index")] */
		{ "data_columns", "(l." },
		{ "info", "(d." },
	};

	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
		if (pm_hdf5_note_text(f->h, f->group, text[i][0], text[i][1], e) < 0)
			return -1;
	for (size_t i = 0; i < sizeof pickle / sizeof pickle[0]; i++)
		if (pm_hdf5_pytable_note_pickle(f->h, f->group, pickle[i][0], pickle[i][1],
						strlen(pickle[i][1]), e) < 0)
			return -1;
	if (pm_hdf5_note_integer(f->h, f->group, "levels", 1, e) < 0)
		return -1;
	return pm_hdf5_pytable_note_list(f->h, f->group, "values_cols", block, n, e);
}

/* Say in attributes of the table which columns a block has. Returns 0, or -1 with e filled. */
static int note_block(const struct pm_frame *f, enum block block, const char *const *name, size_t n,
		      struct pm_err *e)
{
	const int64_t table = pm_hdf5_pytable_id(f->to);
	char type[32];

	if (block == TEXTS)
		snprintf(type, sizeof type, "bytes%zu", 8 * f->width);
	else
		snprintf(type, sizeof type, "%s", block == REALS ? "float64" : "int64");
	return pm_hdf5_note_text(f->h, table, blocks[block].type, type, e) < 0
		       ? -1
		       : pm_hdf5_pytable_note_list(f->h, table, blocks[block].kind, name, n, e);
}

/* Begin the table with its blocks, once there is room for names. Returns 0, or -1 with e filled. */
static int begin_table(struct pm_frame *f, const struct pm_export_file *x, const char **name,
		       struct pm_err *e)
{
	struct pm_hdf5_field field[1 + BLOCKS] = { { "index", PM_HDF5_INTEGER, 0, 0 } };
	const char *block[BLOCKS];
	size_t n = 0;

	for (enum block b = 0; b < BLOCKS; b++) {
		const size_t count = find_names(f, x, b, name);

		if (count == 0)
			continue;
		block[n++] = blocks[b].name;
		field[n] = (struct pm_hdf5_field){ blocks[b].name, blocks[b].is,
						   b == TEXTS ? f->width : 0, count };
	}
	if (note_group(f, block, n, e) < 0 ||
	    note_columns(f, name, find_names(f, x, BLOCKS, name), e) < 0)
		return -1;
	f->to = pm_hdf5_pytable_new(f->h, f->group, "table", field, 1 + n, f->rows, e);
	if (!f->to ||
	    pm_hdf5_note_text(f->h, pm_hdf5_pytable_id(f->to), "index_kind", "integer", e) < 0)
		return -1;
	for (enum block b = 0; b < BLOCKS; b++) {
		const size_t count = find_names(f, x, b, name);

		if (count > 0 && note_block(f, b, name, count, e) < 0)
			return -1;
	}
	return 0;
}

static int write_begin(struct pm_export_file *x, struct pm_err *e)
{
	struct pm_frame *f = x->own;
	const char **name = calloc(x->columns + 1, sizeof *name);
	char *key = NULL;
	int rc = -1;

	f->rows = 0;
	if (!name || asprintf(&key, "%s_%s", f->name, f->job) < 0) {
		free(name);
		return pm_err(e, "out of memory");
	}
	f->group = pm_hdf5_group(f->h, pm_hdf5_root(f->h), key, strlen(key), 0, e);
	if (f->group >= 0)
		rc = begin_table(f, x, name, e);
	free(key);
	free(name);
	return rc;
}

static int write_row(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	struct pm_frame *f = x->own;

	pm_hdf5_pytable_integer(f->to, (int64_t)f->rows++);
	for (enum block b = 0; b < BLOCKS; b++)
		for (size_t i = 0; i < x->columns; i++) {
			if (block_of(f, x, i) != b)
				continue;
			if (b == INTEGERS)
				pm_hdf5_pytable_integer(f->to, v[i].integer);
			else if (b == REALS)
				pm_hdf5_pytable_real(f->to, v[i].type == PM_DB_REAL ? v[i].real
							    : v[i].type == PM_DB_INTEGER
								    ? (double)v[i].integer
								    : (double)NAN);
			else
				pm_hdf5_pytable_text(f->to, v[i].text,
						     v[i].type == PM_DB_TEXT ? v[i].length : 0,
						     f->width);
		}
	return pm_hdf5_pytable_fit(f->to, e);
}

static int write_end(struct pm_export_file *x, struct pm_err *e)
{
	struct pm_frame *f = x->own;
	struct pm_hdf5_pytable *to = f->to;

	f->to = NULL;
	return pm_hdf5_pytable_finish(to, e);
}

void pm_frame_free(struct pm_frame *f)
{
	pm_hdf5_pytable_free(f->to);
	pm_hdf5_group_close(f->h, f->group);
	free(f->partial);
}

const struct pm_export_format pm_frame_look = { "look",   "",   look_begin, look_row,
						look_end, NULL, NULL };
const struct pm_export_format pm_frame_write = { "frame",   "",   write_begin, write_row,
						 write_end, NULL, NULL };
