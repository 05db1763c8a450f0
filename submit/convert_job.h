/* A gathered job as files of perfmon's own, in an archive. Programs only. */
#ifndef PM_CONVERT_JOB_H
#define PM_CONVERT_JOB_H

#include "submit/gather.h"
#include "common/tarwrite.h"

/*
 * Write the job's metadata and the records of each host below `directory` in the archive. What was
 * rejected is not there. Returns 0 or -1 with e filled.
 */
int pm_convert_job(struct pm_gather *g, struct pm_tarwrite *t, const char *directory,
		   struct pm_err *e);

#endif
