/*
 * Slurm 26.05 and later name the control groups of jobs by SLUIDs, which no program of a job knows:
 * the job's id is told by root's slurmstepd in the group, whose title users cannot make.
 */
#ifndef PM_COMMON_JOB_SLURMSTEP_H
#define PM_COMMON_JOB_SLURMSTEP_H

#include "common/safe/tsv.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a job id from the name of a control group is an SLUID: an s and 13 digits and capital
 * letters. */
bool pm_slurmstep_is_sluid(struct pm_str id);

/*
 * Find the id of the job whose control group is at root/directory, by the title of a slurmstepd in
 * it or below it that root started: "slurmstepd: [4711.batch]". root is "" for this machine, or a
 * recorded tree. Returns 0 with *id filled, or -1: no such process, or an id longer than size.
 */
int pm_slurmstep_job(const char *root, const char *directory, char *id, size_t size);

#endif
