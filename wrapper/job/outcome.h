/* Why a job ended as it did: one word, for the metadata. */
#ifndef PM_WRAPPER_ENDING_H
#define PM_WRAPPER_ENDING_H

#include <stdint.h>

/*
 * The reason of an ending, as the key exit_reason of job.def has it: from the wait status, and the
 * processes that the kernel killed in the job's control group for want of memory meanwhile (-1: not
 * known). A shell's status of 128 and a signal counts as that signal.
 */
const char *pm_ending_reason(int status, int64_t oom_kills);

/*
 * How many processes the kernel killed in a group for want of memory during the job, by the group's
 * own counts at start and stop; -1 where either is not known (-1), or they are of different groups.
 */
int64_t pm_ending_oom_kills(int64_t before, int64_t after);

#endif
