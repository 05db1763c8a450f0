/* Slurm's TaskProlog and TaskEpilog: the tasks of a job on this host open and close its recording.
 */
#ifndef PM_WRAPPER_SLURMTASK_H
#define PM_WRAPPER_SLURMTASK_H

#include "common/verb.h"
#include "wrapper/launch.h"

#include <stdbool.h>

/* Whether we are in a job of Slurm, and no other one is asked for with -j. */
bool pm_slurmtask_is_one(const struct pm_cli *cli);

/* What Slurm reads from a TaskProlog: a line `export NAME=value` for each variable, as it takes
 * values to the end of the line. Returns a text for the caller to free, or NULL with e filled. */
char *pm_slurmtask_exports(const struct pm_launch *l, struct pm_err *e);

/*
 * source --slurm: open or join the job of the task that Slurm is about to start, register the task,
 * and print on standard output what a TaskProlog prints, one `export NAME=value` a line, all or
 * nothing. Returns an exit status, with e filled when it is not PM_EXIT_OK.
 */
int pm_slurmtask_begin(const struct pm_cli *cli, struct pm_err *e);

/* Forget the tasks of a job, which is locked: it is over. */
void pm_slurmtask_forget(const struct pm_jobdir *d, const char *host);

/*
 * stop --slurm: close the job on this host unless one of its registered tasks still lives. Where
 * its directory lies in a mount that goes with the job, the path is printed: it is to be packed.
 * Returns as pm_slurmtask_begin; a job that is closed already is no failure.
 */
int pm_slurmtask_end(const struct pm_cli *cli, struct pm_err *e);

#endif
