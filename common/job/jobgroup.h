/*
 * Recognise control groups that batch systems create for their jobs, by their names. Parses text
 * and does no I/O.
 */
#ifndef PM_COMMON_JOB_JOBGROUP_H
#define PM_COMMON_JOB_JOBGROUP_H

#include "common/safe/tsv.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a directory called `name` below one called `above` is the control group of a job: Slurm's
 * job_ID, OAR's oar/USER_ID, PBS's jobid/ID, jobs/ID and pbspro-ID.slice, Torque's torque/ID, LSF's
 * job.ID.PID.TIME, Flux's shell-ID and imp-shell-RANK-ID, Grid Engine's GE/ID.TASK, UGE/ID.TASK or
 * sge/ID.TASK. *id gets the job id, a part of the name.
 */
bool pm_jobgroup_id(struct pm_str above, struct pm_str name, struct pm_str *id);

/* Whether a control group's path, n bytes long, is the control group of `job` or lies below it; the
 * job id may omit its part from a '.' or '[' on. Returns the length of the job's own path, 0 where
 * the path is not the job's. */
size_t pm_jobgroup_find(const char *path, size_t n, const char *job);

#endif
