/* How the processes of a batch job are told on a host, from the table of sched.def. */
#ifndef PM_WRAPPER_SCHED_MARKS_H
#define PM_WRAPPER_SCHED_MARKS_H

#include "common/err.h"
#include "common/verb.h"
#include "wrapper/sched.h"

/*
 * Fill *m for the job of this id, JOBID or JOBID_TASK, of whatever batch system, or with NULL for
 * the one that we are in; to be freed by pm_sched_marks_free. Returns 0; 1 where we are in none;
 * -1 with e filled.
 */
int pm_sched_marks(const char *job, struct pm_job_marks *m, struct pm_err *e);
void pm_sched_marks_free(struct pm_job_marks *m);

#endif
