/*
 * Which processes of this host belong to a batch job, for an observer outside the job. Processes
 * are recognised by their control group, which the batch system names after the job or the user
 * gives, and by the environment that the batch system gave them.
 *
 * Some of a job's processes only wait for the sampler itself: the batch script that started it in
 * the background, the mpirun or srun that launched it on the nodes. A job is over when no other
 * process of it is left: pm_jobfind_waits recognises the waiting ones.
 */
#ifndef PM_SAMPLER_JOB_JOBFIND_H
#define PM_SAMPLER_JOB_JOBFIND_H

#include "common/cli/verb.h"
#include "common/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct pm_jobfind;

/*
 * Look for the processes with these marks below root (procfile.h). The caller keeps the marks valid
 * until the finder is closed. Returns the finder, which the caller closes, or NULL with e filled.
 */
struct pm_jobfind *pm_jobfind_open(const char *root, const struct pm_job_marks *marks,
				   struct pm_err *e);

/* Check that a directory is that of a control group. Returns 0, or -1 with e filled. */
int pm_jobfind_group(const char *root, const char *directory, struct pm_err *e);

/* Release the finder; NULL is allowed. */
void pm_jobfind_close(struct pm_jobfind *f);

/* Whether the control group given by the user has been removed, that is, the job has ended. */
bool pm_jobfind_is_gone(const struct pm_jobfind *f);

/*
 * Whether a process belongs to the job. It does if its control group is the job's or the one given
 * by the user, or below it, or if its environment has one of the job's marks (struct pm_job_marks)
 * and our own user started it.
 * With strict marks only the given group and the process's real user decide. Unreadable processes
 * do not belong.
 */
bool pm_jobfind_belongs(const struct pm_jobfind *f, pid_t pid);

/* Note a new process of the job if it is a sampler or launches one. To be called twice for each
 * process, at two looks: it may have executed another program in between. */
void pm_jobfind_note(struct pm_jobfind *f, pid_t pid);

/* Find the waiting processes anew: to be called before each round of pm_jobfind_waits. */
void pm_jobfind_look(struct pm_jobfind *f);

/* Whether a process waits for samplers: a sampler itself, a launcher of one, or an ancestor. */
bool pm_jobfind_waits(const struct pm_jobfind *f, pid_t pid);

/*
 * Whether an argument list, NUL-terminated strings of n bytes together, is that of perfmon's
 * sampler or of its launcher: srun, mpirun, ssh or the like with perfmon among its arguments,
 * followed by neither another verb nor a program to record.
 */
bool pm_jobfind_samples(const char *arguments, size_t n);

#endif
