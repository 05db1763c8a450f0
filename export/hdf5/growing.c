/* Datasets of HDF5 that grow by rows. */
#include "config.h"

#include "export/hdf5/growing.h"

/* zlib's: above it files get hardly smaller. */
#define LEVEL 4

static int dimensions(const struct pm_hdf5_growing *g)
{
	return g->width ? 2 : 1;
}

/* Properties of the dataset. Returns them, or a negative number. */
static hid_t make_properties(const struct pm_hdf5 *h, const struct pm_hdf5_growing *g)
{
	const struct pm_hdf5_library *l = h->lib;
	const hid_t p = l->H5Pcreate(*l->H5P_CLS_DATASET_CREATE_ID_g);
	const hsize_t chunk[2] = { g->chunk, g->width };

	/* Without times of objects a file depends on its content alone, but for its root. */
	if (p < 0 || l->H5Pset_chunk(p, dimensions(g), chunk) < 0 ||
	    l->H5Pset_obj_track_times(p, false) < 0 || l->H5Pset_shuffle(p) < 0 ||
	    l->H5Pset_deflate(p, LEVEL) < 0 ||
	    (g->fill && l->H5Pset_fill_value(p, *l->H5T_NATIVE_INT64_g, g->fill) < 0)) {
		if (p >= 0)
			l->H5Pclose(p);
		return -1;
	}
	return p;
}

hid_t pm_hdf5_growing_create(const struct pm_hdf5 *h, hid_t group, const char *name,
			     const struct pm_hdf5_growing *g)
{
	const struct pm_hdf5_library *l = h->lib;
	const hsize_t none[2] = { 0, g->width }, most[2] = { H5S_UNLIMITED, g->width };
	const hid_t p = make_properties(h, g),
		    access = l->H5Pcreate(*l->H5P_CLS_DATASET_ACCESS_ID_g),
		    space = l->H5Screate_simple(dimensions(g), none, most);
	hid_t id = H5I_INVALID_HID;

	if (p >= 0 && access >= 0 && space >= 0 && l->H5Pset_chunk_cache(access, 0, 0, 0) >= 0)
		id = l->H5Dcreate2(group, name, g->file, space, h->link, p, access);
	if (p >= 0)
		l->H5Pclose(p);
	if (access >= 0)
		l->H5Pclose(access);
	if (space >= 0)
		l->H5Sclose(space);
	return id;
}

int pm_hdf5_growing_append(const struct pm_hdf5 *h, hid_t dataset, const struct pm_hdf5_growing *g,
			   hsize_t written, hsize_t n, const void *rows)
{
	const struct pm_hdf5_library *l = h->lib;
	const hsize_t first[2] = { written, 0 }, count[2] = { n, g->width },
		      all[2] = { written + n, g->width };
	const hid_t memory = l->H5Screate_simple(dimensions(g), count, NULL);
	hid_t space = H5I_INVALID_HID;
	int rc = -1;

	if (memory >= 0 && l->H5Dset_extent(dataset, all) >= 0 &&
	    (space = l->H5Dget_space(dataset)) >= 0 &&
	    l->H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
	    l->H5Dwrite(dataset, g->memory, memory, space, H5P_DEFAULT, rows) >= 0)
		rc = 0;
	if (space >= 0)
		l->H5Sclose(space);
	if (memory >= 0)
		l->H5Sclose(memory);
	return rc;
}
