/* Write a gathered job as perfmon's own files to an archive. */
#ifndef PM_SUBMIT_CONVERT_JOB_H
#define PM_SUBMIT_CONVERT_JOB_H

#include "common/tarwrite.h"
#include "submit/job/gather.h"

/*
 * Write the job's metadata and the records of each host below `directory` in the archive. Rejected
 * lines are left out. Returns 0 or -1 with e filled.
 */
int pm_convert_job(struct pm_gather *g, struct pm_tarwrite *t, const char *directory,
		   struct pm_err *e);

#endif
