/* Datasets that grow: rows are collected for a chunk, which is compressed and written at once, so
 * that the library has to keep none. */
#include "config.h"

#include "export/hdf5/growing.h"

#include "common/bytes.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a chunk; a dataset that ends with fewer has one of its size. */
#define CHUNK 8192

/* Bytes of texts that are collected at most, and one text more. */
#define TEXTS (1024 * 1024)

struct pm_hdf5_dataset {
	struct pm_hdf5 *h;
	hid_t group, id; /* id: once there are rows to write */
	struct pm_hdf5_about about;
	size_t size;           /* bytes of a row in memory */
	struct pm_bytes rows;  /* not written yet; a text as its place in texts */
	struct pm_bytes texts; /* each with its NUL */
	hsize_t written;       /* rows */
};

struct pm_hdf5_dataset *pm_hdf5_dataset_new(struct pm_hdf5 *h, int64_t group,
					    const struct pm_hdf5_about *about, struct pm_err *e)
{
	const size_t one = about->type == PM_HDF5_CODE || about->type == PM_HDF5_FLAG ? 1 : 8;
	struct pm_hdf5_dataset *d = calloc(1, sizeof *d);

	if (!d) {
		pm_err(e, "out of memory");
		return NULL;
	}
	d->h = h;
	d->group = group;
	d->id = H5I_INVALID_HID;
	d->about = *about;
	d->size = about->width ? one * about->width : one;
	return d;
}

void pm_hdf5_dataset_free(struct pm_hdf5_dataset *d)
{
	if (!d)
		return;
	if (d->id >= 0)
		d->h->lib->H5Dclose(d->id);
	pm_bytes_free(&d->rows);
	pm_bytes_free(&d->texts);
	free(d);
}

void pm_hdf5_dataset_integer(struct pm_hdf5_dataset *d, int64_t v)
{
	pm_bytes_add(&d->rows, &v, sizeof v);
}

void pm_hdf5_dataset_real(struct pm_hdf5_dataset *d, double v)
{
	pm_bytes_add(&d->rows, &v, sizeof v);
}

void pm_hdf5_dataset_text(struct pm_hdf5_dataset *d, const char *p, size_t n)
{
	const uint64_t at = d->texts.n;

	pm_bytes_add(&d->texts, p, n);
	pm_bytes_byte(&d->texts, 0);
	pm_bytes_add(&d->rows, &at, sizeof at);
}

void pm_hdf5_dataset_code(struct pm_hdf5_dataset *d, uint8_t v)
{
	pm_bytes_byte(&d->rows, v);
}

static hid_t type_in_memory(const struct pm_hdf5_dataset *d)
{
	const struct pm_hdf5_library *l = d->h->lib;

	switch (d->about.type) {
	case PM_HDF5_INTEGER:
		return *l->H5T_NATIVE_INT64_g;
	case PM_HDF5_REAL:
		return *l->H5T_NATIVE_DOUBLE_g;
	case PM_HDF5_TEXT:
		return d->h->text;
	case PM_HDF5_FLAG:
		return d->h->flag;
	case PM_HDF5_CODE:
		break;
	}
	return *l->H5T_NATIVE_INT8_g;
}

static hid_t type_in_file(const struct pm_hdf5_dataset *d)
{
	const struct pm_hdf5_library *l = d->h->lib;

	return d->about.type == PM_HDF5_INTEGER ? *l->H5T_STD_I64LE_g
	       : d->about.type == PM_HDF5_REAL  ? *l->H5T_IEEE_F64LE_g
						: type_in_memory(d);
}

/* How the rows lie in the file, in chunks of so many. */
static struct pm_hdf5_growing layout_of(const struct pm_hdf5_dataset *d, hsize_t chunk)
{
	static const int64_t unknown = PM_HDF5_UNKNOWN;

	return (struct pm_hdf5_growing){
		.width = d->about.width,
		.chunk = chunk,
		.file = type_in_file(d),
		.memory = type_in_memory(d),
		.fill = d->about.type == PM_HDF5_INTEGER ? &unknown : NULL,
	};
}

/* Say in attributes what the dataset is. Returns 0, or -1 with e filled. */
static int describe(const struct pm_hdf5_dataset *d, struct pm_err *e)
{
	const struct {
		const char *name, *value;
	} note[] = {
		{ "unit", d->about.unit },
		{ "kind", d->about.kind },
		{ "description", d->about.help },
	};

	for (size_t i = 0; i < sizeof note / sizeof note[0]; i++)
		if (note[i].value &&
		    pm_hdf5_note_text(d->h, d->id, note[i].name, note[i].value, e) < 0)
			return -1;
	/* As CF and netCDF name it. */
	return d->about.type == PM_HDF5_INTEGER
		       ? pm_hdf5_note_integer(d->h, d->id, "_FillValue", PM_HDF5_UNKNOWN, e)
		       : 0;
}

/* Make places of texts pointers to them. Returns 0, or -1 if out of memory. */
static int find_texts(struct pm_hdf5_dataset *d, size_t n, const char ***to)
{
	*to = malloc(n * sizeof **to);
	if (!*to)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint64_t at;

		memcpy(&at, d->rows.p + i * sizeof at, sizeof at);
		(*to)[i] = (const char *)d->texts.p + at;
	}
	return 0;
}

/* Write the rows that were collected, the last ones of all or not. Returns 0, or -1 with e filled.
 */
static int flush(struct pm_hdf5_dataset *d, bool last, struct pm_err *e)
{
	const size_t n = d->rows.n / d->size;
	const struct pm_hdf5_growing g = layout_of(d, !last ? CHUNK : n > 0 ? n : 1);
	const char **text = NULL;
	int rc = 0;

	if (d->rows.failed || d->texts.failed)
		return pm_err(e, "out of memory");
	if (d->id < 0) {
		d->id = pm_hdf5_growing_create(d->h, d->group, d->about.name, &g);
		if (d->id < 0)
			return pm_hdf5_library_err(d->h->lib, "write the HDF5 file", e);
		if (describe(d, e) < 0)
			return -1;
	}
	if (n == 0)
		return 0;
	if (d->about.type == PM_HDF5_TEXT && find_texts(d, n, &text) < 0)
		return pm_err(e, "out of memory");
	if (pm_hdf5_growing_append(d->h, d->id, &g, d->written, n,
				   text ? (const void *)text : d->rows.p) < 0)
		rc = pm_hdf5_library_err(d->h->lib, "write the HDF5 file", e);
	free(text);
	d->written += n;
	d->rows.n = d->texts.n = 0;
	return rc;
}

int pm_hdf5_dataset_fit(struct pm_hdf5_dataset *d, struct pm_err *e)
{
	return d->rows.n < CHUNK * d->size && d->texts.n < TEXTS ? 0 : flush(d, false, e);
}

int pm_hdf5_dataset_finish(struct pm_hdf5_dataset *d, const char *name, const char *const *text,
			   size_t n, struct pm_err *e)
{
	int rc = d ? flush(d, true, e) : 0;

	if (d && rc == 0 && name)
		rc = pm_hdf5_file_note(d->h, d->id, name, text, n, false, e);
	if (d && rc == 0 && d->h->lib->H5Dclose(d->id) < 0)
		rc = pm_hdf5_library_err(d->h->lib, "write the HDF5 file", e);
	if (d && rc == 0)
		d->id = H5I_INVALID_HID;
	pm_hdf5_dataset_free(d);
	return rc;
}
