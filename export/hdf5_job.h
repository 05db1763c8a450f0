/* A job as a whole in an HDF5 file: a group with a table for each kind of rows, and its samples. */
#ifndef PM_EXPORT_HDF5_JOB_H
#define PM_EXPORT_HDF5_JOB_H

#include "export/hdf5/hdf5.h"
#include "export/hdf5_faults.h"

#include "common/cli/verb.h"
#include "common/err.h"
#include "db/db.h"

#include <stdint.h>

/*
 * Write a job: a group of its name, below it a table for each kind of rows of `perfmon list` and
 * one of its operations, of all sets of tags where the command line says no others, and in
 * samples/HOST/SERIES the times and values of each series. Faults are added to those that are
 * there. Returns 0, or -1 with e filled.
 */
int pm_hdf5_job_write(struct pm_hdf5 *h, struct pm_db *db, int64_t job, const struct pm_cli *cli,
		      struct pm_hdf5_faults *f, struct pm_err *e);

/* Write the table of metrics, which is the same for all jobs. Returns 0, or -1 with e filled. */
int pm_hdf5_job_metrics(struct pm_hdf5 *h, struct pm_db *db, struct pm_hdf5_faults *f,
			struct pm_err *e);

#endif
