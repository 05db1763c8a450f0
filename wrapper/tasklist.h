/*
 * The tasks of a Slurm job on this host: a file of the job's directory, a line for each, with pid
 * and start time of its first process. Nobody counts: a task is over when its process is gone, so
 * that one whose TaskEpilog never runs keeps no job open. The callers hold the job's lock.
 */
#ifndef PM_WRAPPER_TASKLIST_H
#define PM_WRAPPER_TASKLIST_H

#include "common/jobdir.h"

#include <stdbool.h>
#include <stdint.h>

/* A task's first process. */
struct pm_task {
	int64_t pid;
	int64_t starttime; /* clock ticks since boot; -1: could not be read */
};

/*
 * The task that a TaskProlog is run for: the process that Slurm names (SLURM_TASK_PID), when it is
 * above us; a SLURM_TASK_PID that is not is that of another task, inherited, and the process that
 * started us is taken.
 */
struct pm_task pm_tasklist_self(void);

/* Add a task. Returns 0 or -1 with e filled: then the list is as it was. */
int pm_tasklist_add(const struct pm_jobdir *d, const char *host, const struct pm_task *t,
		    struct pm_err *e);

/* Whether any task of the list lives. */
bool pm_tasklist_lives(const struct pm_jobdir *d, const char *host);

/* Remove the list. */
void pm_tasklist_forget(const struct pm_jobdir *d, const char *host);

#endif
