/*
 * The control groups that batch systems make for their jobs, by their names. Parses text and does
 * no I/O.
 */
#ifndef PM_JOBGROUP_H
#define PM_JOBGROUP_H

#include "common/tsv.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a directory of this name, below one called `above`, is the control group of a job:
 * Slurm's job_ID, OAR's oar/USER_ID, PBS's jobid/ID, jobs/ID and pbspro-ID.slice, Torque's torque/ID,
 * LSF's job.ID.PID.TIME, Flux's shell-ID and imp-shell-RANK-ID, Grid Engine's GE/ID.TASK, UGE/ID.TASK
 * or sge/ID.TASK. *id gets the job's id, a part of the name.
 */
bool pm_jobgroup_id(struct pm_str above, struct pm_str name, struct pm_str *id);

/* Whether a control group's path, n bytes long, is that of this job or below it; a job id may be given
 * without what follows a '.' or '[' in it. Returns the length of
 * the job's own path, 0 where it is none of the job's. */
size_t pm_jobgroup_find(const char *path, size_t n, const char *job);

#endif
