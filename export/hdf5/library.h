/* libhdf5, opened when the first file is written: it needs three dozen other libraries, which every
 * start of perfmon would load. Only for files of this folder. */
#ifndef PM_EXPORT_HDF5_LIBRARY_H
#define PM_EXPORT_HDF5_LIBRARY_H

#include "common/err.h"

#include <hdf5.h>

/* Macros of the header call functions that open the library and compare versions, as
 * pm_hdf5_library() does. */
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

struct pm_hdf5_library {
#define PM_HDF5(name)    __typeof__(name) *name;
#define PM_HDF5_ID(name) hid_t *name;
#include "export/hdf5/hdf5.def"
#undef PM_HDF5
#undef PM_HDF5_ID
};

/* Open the library, once and for good, of the version that perfmon was built with. Returns it, or
 * NULL with e filled. */
const struct pm_hdf5_library *pm_hdf5_library(struct pm_err *e);

/* Write a message with what the library says of its last failure, or errno where it says nothing.
 * Returns -1. */
int pm_hdf5_library_err(const struct pm_hdf5_library *lib, const char *what, struct pm_err *e);

#endif
