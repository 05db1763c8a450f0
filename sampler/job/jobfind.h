/*
 * Which processes of this host belong to a batch job, told from outside: by their control group, as
 * batch systems name one per job or we were told, and by the environment that the batch system gave
 * them. Programs only.
 *
 * Some of a job's processes only wait for the sampler itself: the batch script that started it in
 * the background, mpirun or srun that brought it to the nodes. A job is over when nothing else of
 * it is left, and they must not be waited for: pm_jobfind_waits tells them.
 */
#ifndef PM_JOBFIND_H
#define PM_JOBFIND_H

#include "common/err.h"
#include "common/verb.h"

#include <stdbool.h>
#include <sys/types.h>

struct pm_jobfind;

/*
 * Look for the processes with these marks, which stay the caller's, below root (procfile.h).
 * Returns it, to be closed by the caller, or NULL with e filled.
 */
struct pm_jobfind *pm_jobfind_open(const char *root, const struct pm_job_marks *marks,
				   struct pm_err *e);

/* Whether there is a control group with this directory. Returns 0, or -1 with e filled. */
int pm_jobfind_group(const char *root, const char *directory, struct pm_err *e);

/* Release it; NULL is allowed. */
void pm_jobfind_close(struct pm_jobfind *f);

/* Whether the control group that was found has been removed: the job has ended. */
bool pm_jobfind_is_gone(const struct pm_jobfind *f);

/*
 * Whether a process belongs to the job: its control group is the job's or the named one, or below
 * it, or its environment has one of the marks, and it was started by our own user. With strict
 * marks only the named group and the process's real user decide. Unreadable processes do not
 * belong.
 */
bool pm_jobfind_belongs(const struct pm_jobfind *f, pid_t pid);

/* Note a process of the job that is new, or was when it was noted before and may have become
 * another program meanwhile: it may be a sampler, or bring one. */
void pm_jobfind_note(struct pm_jobfind *f, pid_t pid);

/* Look again at who waits: to be called before each round of pm_jobfind_waits. */
void pm_jobfind_look(struct pm_jobfind *f);

/* Whether a process is a sampler, brings one, or is above one: it goes on until samplers end. */
bool pm_jobfind_waits(const struct pm_jobfind *f, pid_t pid);

/*
 * Whether an argument list, NUL-terminated texts of n bytes together, is that of perfmon's sampler,
 * or of what starts it: srun, mpirun, ssh or such with perfmon among its arguments and nothing
 * behind it that is another verb or a program to record.
 */
bool pm_jobfind_samples(const char *arguments, size_t n);

#endif
