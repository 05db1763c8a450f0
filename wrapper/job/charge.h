/* CPU time that a job really used on a host, from accounts that none of its processes escapes. */
#ifndef PM_WRAPPER_CHARGE_H
#define PM_WRAPPER_CHARGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Note the control group that the job begins in, whether it is the job's alone, and what it has
 * used. group_id: the job's id as its batch system names groups, or NULL. command: the job is one
 * command (-a run); else the job is everything that our ancestors start.
 */
void pm_charge_start(json_t *doc, const char *group_id, bool command);

/*
 * Attach an inherited clock to a process that has not executed anything yet, and so to all its
 * descendants, if we may count programs of all kinds (root) and pm_charge_start(), in this process,
 * found no group of the job's own. Counting begins with the next exec.
 */
void pm_charge_follow(pid_t pid);

/*
 * Note what the job has used so far. command_us: CPU time of the command from wait4, -1 for none;
 * helpers_us: CPU time of perfmon's own processes that this one has not waited for.
 */
void pm_charge_stop(json_t *doc, int64_t command_us, int64_t helpers_us);

#endif
