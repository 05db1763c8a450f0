/* CPU time that a job really used on a host, from accounts that include all of its processes. */
#ifndef PM_WRAPPER_JOB_CHARGE_H
#define PM_WRAPPER_JOB_CHARGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Note in the metadata the control group in which the job begins, whether the group is the job's
 * alone, and the CPU time and kills that the group has counted. group_id: the job's id as its batch
 * system names groups, or NULL. command: the job is one command (-a run); else the job is
 * everything that our ancestors start.
 */
void pm_charge_start(json_t *doc, const char *group_id, bool command);

/*
 * Attach a clock to a process that has not executed anything yet; all its descendants inherit the
 * clock. Does so only for root, who may count set-uid programs, too, and only if pm_charge_start(),
 * in this process, found no control group that is the job's alone, and there is no batch job.
 * Counting begins with the next exec.
 */
void pm_charge_follow(pid_t pid);

/*
 * Note in the metadata the CPU time that the job has used. command_us: CPU time of the command from
 * wait4, -1: no command; helpers_us: CPU time of perfmon's own processes that this process has not
 * waited for.
 */
void pm_charge_stop(json_t *doc, int64_t command_us, int64_t helpers_us);

#endif
