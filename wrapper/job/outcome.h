/* The reason why a job ended, as one word for the metadata. */
#ifndef PM_WRAPPER_JOB_OUTCOME_H
#define PM_WRAPPER_JOB_OUTCOME_H

#include <stdint.h>

/*
 * The reason why a job ended, for the key exit_reason of job.def. status: the wait status;
 * oom_kills: processes in the job's control group that the kernel killed for want of memory during
 * the job (-1: unknown). A shell's exit status of 128 plus a signal's number counts as that signal.
 */
const char *pm_outcome_reason(int status, int64_t oom_kills);

/*
 * The number of processes that the kernel killed in a group for want of memory during the job, from
 * the group's counts at start and stop. -1: a count is unknown (-1), or it fell, so that the counts
 * are of different groups.
 */
int64_t pm_outcome_oom_kills(int64_t before, int64_t after);

#endif
