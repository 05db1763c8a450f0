/* The processes of the jobs of a database that ended within a time, as a Parquet file. */
#ifndef PM_EXPORT_PROCESSFILE_H
#define PM_EXPORT_PROCESSFILE_H

#include "common/err.h"
#include "db/db.h"

#include <stdint.h>
#include <stdio.h>

/* The key under which the file has its note. */
#define PM_PROCESSFILE_NOTE "perfmon.jobs"

/* SQL condition over table job with two parameters, us since 1970 UTC: it ended, or at least began,
 * at the first or later, and before the second. */
#define PM_PROCESSFILE_JOBS PM_SCHEMA_JOB_END("") " >= ? AND " PM_SCHEMA_JOB_END("") " < ?"

/*
 * Write the processes of the jobs of PM_PROCESSFILE_JOBS to f, job by job in the order of their
 * ends: the columns that identify the job, then those of `perfmon export processes`, of which
 * `jobid` is named process_jobid. `name` is the file's, for messages, and `note` is kept in it.
 * Memory does not grow with the rows. Returns their number, or -1 with e filled; f is flushed.
 */
int64_t pm_processfile_write(FILE *f, const char *name, struct pm_db *db, int64_t from_us,
			     int64_t before_us, const char *note, struct pm_err *e);

#endif
