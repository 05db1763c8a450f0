/*
 * The list of tasks of a Slurm job on this host: a file in the job's directory, with a line for
 * each task that has pid and start time of its first process. There is no counter that could go
 * wrong: a task is over when its process has ended, even if its TaskEpilog never runs. Callers hold
 * the job's lock.
 */
#ifndef PM_WRAPPER_JOB_TASKLIST_H
#define PM_WRAPPER_JOB_TASKLIST_H

#include "common/job/jobdir.h"

#include <stdbool.h>
#include <stdint.h>

/* A task's first process. */
struct pm_task {
	int64_t pid;
	int64_t starttime; /* clock ticks since boot; -1: could not be read */
};

/*
 * Find the task that a TaskProlog runs for: the process in SLURM_TASK_PID if it is our ancestor;
 * else our parent, because the variable was inherited from another task.
 */
struct pm_task pm_tasklist_self(void);

/* Add a task. Returns 0, or -1 with e filled and the list unchanged. */
int pm_tasklist_add(const struct pm_jobdir *d, const char *host, const struct pm_task *t,
		    struct pm_err *e);

/* Whether a task of the list still lives. */
bool pm_tasklist_lives(const struct pm_jobdir *d, const char *host);

/* Remove the list. */
void pm_tasklist_forget(const struct pm_jobdir *d, const char *host);

#endif
