/* Tables of one dataset: rows are collected for a chunk, as in dataset.c. */
#include "config.h"

#include "export/hdf5/pytable.h"

#include "export/hdf5/growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a chunk; one row where that has more. */
#define CHUNK (256 * 1024)

struct pm_hdf5_pytable {
	struct pm_hdf5 *h;
	hid_t id, memory; /* the dataset, and the type of a row in memory */
	size_t size;      /* bytes of a row */
	size_t chunk;     /* rows of a chunk */
	struct pm_bytes rows;
	hsize_t written;
};

static size_t size_of(const struct pm_hdf5_field *f)
{
	return (f->type == PM_HDF5_TEXT ? f->width : 8) * (f->count ? f->count : 1);
}

/* The type of a value of a field, to be closed. Returns it, or a negative number. */
static hid_t value_type(const struct pm_hdf5 *h, const struct pm_hdf5_field *f, bool file)
{
	const struct pm_hdf5_library *l = h->lib;
	hid_t type;

	if (f->type == PM_HDF5_INTEGER)
		return l->H5Tcopy(file ? *l->H5T_STD_I64LE_g : *l->H5T_NATIVE_INT64_g);
	if (f->type != PM_HDF5_TEXT)
		return l->H5Tcopy(file ? *l->H5T_IEEE_F64LE_g : *l->H5T_NATIVE_DOUBLE_g);
	type = l->H5Tcopy(*l->H5T_C_S1_g);
	if (type >= 0 && l->H5Tset_size(type, f->width) < 0) {
		l->H5Tclose(type);
		return -1;
	}
	return type;
}

/* The type of a field, to be closed. Returns it, or a negative number. */
static hid_t field_type(const struct pm_hdf5 *h, const struct pm_hdf5_field *f, bool file)
{
	const hsize_t count = f->count;
	const hid_t of = value_type(h, f, file);
	hid_t type;

	if (of < 0 || count == 0)
		return of;
	type = h->lib->H5Tarray_create2(of, 1, &count);
	h->lib->H5Tclose(of);
	return type;
}

/* The type of a row, to be closed. Returns it, or a negative number. */
static hid_t row_type(const struct pm_hdf5 *h, const struct pm_hdf5_field *field, size_t n,
		      size_t size, bool file)
{
	const struct pm_hdf5_library *l = h->lib;
	const hid_t type = l->H5Tcreate(H5T_COMPOUND, size);
	size_t at = 0;

	for (size_t i = 0; type >= 0 && i < n; i++) {
		const hid_t of = field_type(h, &field[i], file);
		const herr_t rc = of < 0 ? -1 : l->H5Tinsert(type, field[i].name, at, of);

		if (of >= 0)
			l->H5Tclose(of);
		if (rc < 0) {
			l->H5Tclose(type);
			return -1;
		}
		at += size_of(&field[i]);
	}
	return type;
}

/* How rows lie in the dataset; the type in the file is needed to create it. */
static struct pm_hdf5_growing layout_of(const struct pm_hdf5_pytable *t, hid_t file)
{
	return (struct pm_hdf5_growing){ .chunk = t->chunk, .file = file, .memory = t->memory };
}

struct pm_hdf5_pytable *pm_hdf5_pytable_new(struct pm_hdf5 *h, int64_t group, const char *name,
					    const struct pm_hdf5_field *field, size_t n,
					    uint64_t rows, struct pm_err *e)
{
	struct pm_hdf5_pytable *t = calloc(1, sizeof *t);
	hid_t type;

	if (!t) {
		pm_err(e, "out of memory");
		return NULL;
	}
	t->h = h;
	t->id = H5I_INVALID_HID;
	for (size_t i = 0; i < n; i++)
		t->size += size_of(&field[i]);
	t->chunk = t->size < CHUNK ? CHUNK / t->size : 1;
	if (rows < t->chunk)
		t->chunk = rows > 0 ? (size_t)rows : 1;
	t->memory = row_type(h, field, n, t->size, false);
	type = row_type(h, field, n, t->size, true);
	if (t->memory >= 0 && type >= 0) {
		const struct pm_hdf5_growing g = layout_of(t, type);

		t->id = pm_hdf5_growing_create(h, group, name, &g);
	}
	if (t->id < 0) {
		pm_hdf5_library_err(h->lib, "write the HDF5 file", e);
		pm_hdf5_pytable_free(t);
		t = NULL;
	}
	if (type >= 0)
		h->lib->H5Tclose(type);
	return t;
}

int64_t pm_hdf5_pytable_id(const struct pm_hdf5_pytable *t)
{
	return t->id;
}

void pm_hdf5_pytable_free(struct pm_hdf5_pytable *t)
{
	if (!t)
		return;
	if (t->id >= 0)
		t->h->lib->H5Dclose(t->id);
	if (t->memory >= 0)
		t->h->lib->H5Tclose(t->memory);
	pm_bytes_free(&t->rows);
	free(t);
}

void pm_hdf5_pytable_integer(struct pm_hdf5_pytable *t, int64_t v)
{
	pm_bytes_add(&t->rows, &v, sizeof v);
}

void pm_hdf5_pytable_real(struct pm_hdf5_pytable *t, double v)
{
	pm_bytes_add(&t->rows, &v, sizeof v);
}

void pm_hdf5_pytable_text(struct pm_hdf5_pytable *t, const char *p, size_t n, size_t width)
{
	const size_t have = n < width ? n : width;

	if (!pm_bytes_room(&t->rows, width))
		return;
	memcpy(t->rows.p + t->rows.n, p, have);
	memset(t->rows.p + t->rows.n + have, 0, width - have);
	t->rows.n += width;
}

static int flush(struct pm_hdf5_pytable *t, struct pm_err *e)
{
	const struct pm_hdf5_growing g = layout_of(t, H5I_INVALID_HID);
	const size_t n = t->rows.n / t->size;

	if (t->rows.failed)
		return pm_err(e, "out of memory");
	if (n > 0 && pm_hdf5_growing_append(t->h, t->id, &g, t->written, n, t->rows.p) < 0)
		return pm_hdf5_library_err(t->h->lib, "write the HDF5 file", e);
	t->written += n;
	t->rows.n = 0;
	return 0;
}

int pm_hdf5_pytable_fit(struct pm_hdf5_pytable *t, struct pm_err *e)
{
	return t->rows.n < t->chunk * t->size ? 0 : flush(t, e);
}

int pm_hdf5_pytable_finish(struct pm_hdf5_pytable *t, struct pm_err *e)
{
	int rc = t ? flush(t, e) : 0;

	if (t && rc == 0) {
		if (t->h->lib->H5Dclose(t->id) < 0)
			rc = pm_hdf5_library_err(t->h->lib, "write the HDF5 file", e);
		t->id = H5I_INVALID_HID;
	}
	pm_hdf5_pytable_free(t);
	return rc;
}

/* Read a character of valid UTF-8. */
static unsigned long take_character(const unsigned char **p)
{
	const unsigned char first = *(*p)++;
	unsigned more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	unsigned long c = more ? first & (0x3fU >> more) : first;

	while (more-- > 0 && **p)
		c = c << 6 | (*(*p)++ & 0x3fU);
	return c;
}

/* Append a text as a pickle has it: what is not printable ASCII, and a backslash, as escapes of
 * Python. */
static void add_text(struct pm_bytes *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	pm_bytes_byte(to, 'V');
	while (*p) {
		const unsigned long c = take_character(&p);
		char s[16];

		if (c >= ' ' && c < 0x7f && c != '\\')
			pm_bytes_byte(to, (unsigned)c);
		else
			pm_bytes_add(to, s,
				     (size_t)snprintf(s, sizeof s,
						      c > 0xffff ? "\\U%08lx" : "\\u%04lx", c));
	}
	pm_bytes_byte(to, '\n');
}

void pm_hdf5_pytable_pickle(struct pm_bytes *to, const char *const *text, size_t n)
{
	pm_bytes_add(to, "(l", 2);
	for (size_t i = 0; i < n; i++) {
		add_text(to, text[i]);
		pm_bytes_byte(to, 'a');
	}
}

int pm_hdf5_pytable_note_pickle(struct pm_hdf5 *h, int64_t object, const char *name,
				const char *pickle, size_t n, struct pm_err *e)
{
	const struct pm_hdf5_library *l = h->lib;
	const hid_t type = l->H5Tcopy(*l->H5T_C_S1_g), space = l->H5Screate(H5S_SCALAR);
	hid_t a = H5I_INVALID_HID;
	int rc = -1;

	if (type >= 0 && space >= 0 && l->H5Tset_size(type, n) >= 0 &&
	    l->H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0) {
		a = l->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
		rc = a >= 0 && l->H5Awrite(a, type, pickle) >= 0 ? 0 : -1;
	}
	if (a >= 0 && l->H5Aclose(a) < 0)
		rc = -1;
	if (type >= 0)
		l->H5Tclose(type);
	if (space >= 0)
		l->H5Sclose(space);
	return rc < 0 ? pm_hdf5_library_err(l, "write the HDF5 file", e) : 0;
}

int pm_hdf5_pytable_note_list(struct pm_hdf5 *h, int64_t object, const char *name,
			      const char *const *text, size_t n, struct pm_err *e)
{
	struct pm_bytes pickle = { .p = NULL };
	int rc;

	pm_hdf5_pytable_pickle(&pickle, text, n);
	pm_bytes_byte(&pickle, '.');
	rc = pickle.failed ? pm_err(e, "out of memory")
			   : pm_hdf5_pytable_note_pickle(h, object, name, (const char *)pickle.p,
							 pickle.n, e);
	pm_bytes_free(&pickle);
	return rc;
}
