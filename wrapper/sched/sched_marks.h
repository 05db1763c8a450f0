/* The marks by which the processes of a batch job are recognized on a host, from sched.def. */
#ifndef PM_WRAPPER_SCHED_SCHED_MARKS_H
#define PM_WRAPPER_SCHED_SCHED_MARKS_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "wrapper/sched/sched.h"

/*
 * Fill *m for the job of this id, JOBID or JOBID_TASK, of any batch system, or with NULL for the
 * job that we are in. The caller frees *m with pm_sched_marks_free. Returns 0; 1 if we are in no
 * job; -1 with e filled.
 */
int pm_sched_marks(const char *job, struct pm_job_marks *m, struct pm_err *e);
void pm_sched_marks_free(struct pm_job_marks *m);

#endif
