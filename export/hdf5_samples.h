/* The samples of a job in an HDF5 file. */
#ifndef PM_EXPORT_HDF5_SAMPLES_H
#define PM_EXPORT_HDF5_SAMPLES_H

#include "export/hdf5/hdf5.h"
#include "export/hdf5_faults.h"

#include "common/err.h"
#include "db/db.h"

#include <stdint.h>

/*
 * Write a group "samples" below that of a job, in it a group for each host and in that one for each
 * series, named after source, metric and object, with datasets time_us, monotonic_us and value, and
 * where a value is unknown `reason`: 0, or the number of a text of its attribute `reasons`. Faults
 * are counted. Returns 0, or -1 with e filled.
 */
int pm_hdf5_samples_write(struct pm_hdf5 *h, int64_t parent, struct pm_db *db, int64_t job,
			  struct pm_hdf5_faults *f, struct pm_err *e);

#endif
