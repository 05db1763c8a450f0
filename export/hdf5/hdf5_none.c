/* Without libhdf5 no HDF5 file is written: why. The other functions are never called. */
#include "config.h"

#include "export/hdf5/hdf5.h"
#include "export/hdf5/pytable.h"

#include "common/version.h"

int pm_hdf5_check(struct pm_err *e)
{
	return pm_err(e, "HDF5 files need libhdf5, without which this perfmon was built (Debian: "
			 "libhdf5-dev, Fedora: hdf5-devel)");
}

struct pm_hdf5 *pm_hdf5_new(FILE *f, struct pm_err *e)
{
	(void)f;
	pm_hdf5_check(e);
	return NULL;
}

int pm_hdf5_finish(struct pm_hdf5 *h, struct pm_err *e)
{
	(void)h;
	return pm_hdf5_check(e);
}

void pm_hdf5_free(struct pm_hdf5 *h)
{
	(void)h;
}

int64_t pm_hdf5_root(const struct pm_hdf5 *h)
{
	(void)h;
	return -1;
}

int64_t pm_hdf5_group(struct pm_hdf5 *h, int64_t parent, const char *name, size_t n, int64_t number,
		      struct pm_err *e)
{
	(void)h, (void)parent, (void)name, (void)n, (void)number;
	return pm_hdf5_check(e);
}

void pm_hdf5_group_close(struct pm_hdf5 *h, int64_t group)
{
	(void)h, (void)group;
}

int pm_hdf5_note_text(struct pm_hdf5 *h, int64_t group, const char *name, const char *text,
		      struct pm_err *e)
{
	(void)h, (void)group, (void)name, (void)text;
	return pm_hdf5_check(e);
}

int pm_hdf5_note_texts(struct pm_hdf5 *h, int64_t group, const char *name, const char *const *text,
		       size_t n, struct pm_err *e)
{
	(void)h, (void)group, (void)name, (void)text, (void)n;
	return pm_hdf5_check(e);
}

int pm_hdf5_note_integer(struct pm_hdf5 *h, int64_t group, const char *name, int64_t v,
			 struct pm_err *e)
{
	(void)h, (void)group, (void)name, (void)v;
	return pm_hdf5_check(e);
}

struct pm_hdf5_dataset *pm_hdf5_dataset_new(struct pm_hdf5 *h, int64_t group,
					    const struct pm_hdf5_about *about, struct pm_err *e)
{
	(void)h, (void)group, (void)about;
	pm_hdf5_check(e);
	return NULL;
}

void pm_hdf5_dataset_integer(struct pm_hdf5_dataset *d, int64_t v)
{
	(void)d, (void)v;
}

void pm_hdf5_dataset_real(struct pm_hdf5_dataset *d, double v)
{
	(void)d, (void)v;
}

void pm_hdf5_dataset_text(struct pm_hdf5_dataset *d, const char *p, size_t n)
{
	(void)d, (void)p, (void)n;
}

void pm_hdf5_dataset_code(struct pm_hdf5_dataset *d, uint8_t v)
{
	(void)d, (void)v;
}

int pm_hdf5_dataset_fit(struct pm_hdf5_dataset *d, struct pm_err *e)
{
	(void)d;
	return pm_hdf5_check(e);
}

int pm_hdf5_dataset_finish(struct pm_hdf5_dataset *d, const char *name, const char *const *text,
			   size_t n, struct pm_err *e)
{
	(void)d, (void)name, (void)text, (void)n;
	return pm_hdf5_check(e);
}

void pm_hdf5_dataset_free(struct pm_hdf5_dataset *d)
{
	(void)d;
}

struct pm_hdf5_pytable *pm_hdf5_pytable_new(struct pm_hdf5 *h, int64_t group, const char *name,
					    const struct pm_hdf5_field *field, size_t n,
					    uint64_t rows, struct pm_err *e)
{
	(void)h, (void)group, (void)name, (void)field, (void)n, (void)rows;
	pm_hdf5_check(e);
	return NULL;
}

int64_t pm_hdf5_pytable_id(const struct pm_hdf5_pytable *t)
{
	(void)t;
	return -1;
}

void pm_hdf5_pytable_integer(struct pm_hdf5_pytable *t, int64_t v)
{
	(void)t, (void)v;
}

void pm_hdf5_pytable_real(struct pm_hdf5_pytable *t, double v)
{
	(void)t, (void)v;
}

void pm_hdf5_pytable_text(struct pm_hdf5_pytable *t, const char *p, size_t n, size_t width)
{
	(void)t, (void)p, (void)n, (void)width;
}

int pm_hdf5_pytable_fit(struct pm_hdf5_pytable *t, struct pm_err *e)
{
	(void)t;
	return pm_hdf5_check(e);
}

int pm_hdf5_pytable_finish(struct pm_hdf5_pytable *t, struct pm_err *e)
{
	(void)t;
	return pm_hdf5_check(e);
}

void pm_hdf5_pytable_free(struct pm_hdf5_pytable *t)
{
	(void)t;
}

int pm_hdf5_pytable_note_list(struct pm_hdf5 *h, int64_t object, const char *name,
			      const char *const *text, size_t n, struct pm_err *e)
{
	(void)h, (void)object, (void)name, (void)text, (void)n;
	return pm_hdf5_check(e);
}

int pm_hdf5_pytable_note_pickle(struct pm_hdf5 *h, int64_t object, const char *name,
				const char *pickle, size_t n, struct pm_err *e)
{
	(void)h, (void)object, (void)name, (void)pickle, (void)n;
	return pm_hdf5_check(e);
}

void pm_hdf5_pytable_pickle(struct pm_bytes *to, const char *const *text, size_t n)
{
	(void)to, (void)text, (void)n;
}

void pm_version_hdf5(struct pm_version *v)
{
	(void)v;
}
