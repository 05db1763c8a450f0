/* Datasets of HDF5 that grow by rows: in compressed chunks, of which the library keeps none. */
#ifndef PM_EXPORT_HDF5_GROWING_H
#define PM_EXPORT_HDF5_GROWING_H

#include "export/hdf5/file.h"

/* How rows lie in it. */
struct pm_hdf5_growing {
	size_t width;        /* values of a row; 0: a row is one value, and has no dimension */
	hsize_t chunk;       /* rows of a chunk */
	hid_t file, memory;  /* types of a value */
	const int64_t *fill; /* the value of what was not written; NULL: 0 */
};

/* Create the dataset, without rows. Returns it, to be closed, or a negative number. */
hid_t pm_hdf5_growing_create(const struct pm_hdf5 *h, hid_t group, const char *name,
			     const struct pm_hdf5_growing *g);

/* Append n rows behind those that were written. Returns 0, or -1. */
int pm_hdf5_growing_append(const struct pm_hdf5 *h, hid_t dataset, const struct pm_hdf5_growing *g,
			   hsize_t written, hsize_t n, const void *rows);

#endif
