/* Slurm's TaskProlog and TaskEpilog: the tasks of a job on this host open and close its recording.
 */
#ifndef PM_WRAPPER_JOB_SLURMTASK_H
#define PM_WRAPPER_JOB_SLURMTASK_H

#include "common/cli/verb.h"
#include "wrapper/job/launch.h"

#include <stdbool.h>

/* Whether we are in a job of Slurm and -j names no other job. */
bool pm_slurmtask_is_one(const struct pm_cli *cli);

/* Make the text that Slurm reads from a TaskProlog: a line `export NAME=value` for each variable.
 * Slurm takes the value up to the end of the line, without quoting. Returns a text for the caller
 * to free, or NULL with e filled. */
char *pm_slurmtask_exports(const struct pm_launch *l, struct pm_err *e);

/*
 * source --slurm: open or join the job of the task that Slurm is about to start, register the task,
 * and print the text of pm_slurmtask_exports on standard output, all or nothing. Returns an exit
 * status, with e filled unless it is PM_EXIT_OK.
 */
int pm_slurmtask_begin(const struct pm_cli *cli, struct pm_err *e);

/* Remove the task list and the environment's digests of a job that is over. The caller holds the
 * job's lock. */
void pm_slurmtask_forget(const struct pm_jobdir *d, const char *host);

/*
 * stop --slurm: close the job on this host unless one of its registered tasks still lives. Print
 * the path of the job's directory if it lies in a mount that vanishes with the job: TaskEpilog has
 * to pack it. Returns the same as pm_slurmtask_begin(); a job that is already closed is not a
 * failure.
 */
int pm_slurmtask_end(const struct pm_cli *cli, struct pm_err *e);

#endif
