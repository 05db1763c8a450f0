/* Faults of a database that are found while whole jobs are written. */
#ifndef PM_EXPORT_HDF5_FAULTS_H
#define PM_EXPORT_HDF5_FAULTS_H

#include "common/err.h"

#include <stddef.h>

struct pm_hdf5_faults {
	size_t odd;           /* values that are not of their column's type */
	size_t damaged;       /* blocks of samples that could not be read */
	struct pm_err damage; /* the last of them */
};

#endif
