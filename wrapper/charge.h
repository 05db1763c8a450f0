/* What a job really used of a host's CPUs, by accounts that no process of it escapes. */
#ifndef PM_WRAPPER_CHARGE_H
#define PM_WRAPPER_CHARGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Note the control group that the job begins in, whether it is the job's alone, and what it has
 * used. group_id: the job's id as its batch system names groups, or NULL. command: the job is that
 * of one command (-a run), else everything that the processes above us start belongs to it.
 */
void pm_charge_start(json_t *doc, const char *group_id, bool command);

/*
 * Have a process, which has executed nothing yet, and all its descendants inherit a clock, where we
 * may count what programs of all kinds do (root), and pm_charge_start, in this process, found no
 * group of the job's. What is executed from now on is counted.
 */
void pm_charge_follow(pid_t pid);

/*
 * Note what the job has used by now. command_us: CPU time of the command as wait4 told it, -1 where
 * there is none; helpers_us: of perfmon's own processes that this one has not waited for.
 */
void pm_charge_stop(json_t *doc, int64_t command_us, int64_t helpers_us);

#endif
