/* Start and stop samplers: beside the command of run, and in the background by start and source. */
#ifndef PM_WRAPPER_JOB_SAMPLER_H
#define PM_WRAPPER_JOB_SAMPLER_H

#include "common/cli/verb.h"
#include "common/job/jobdir.h"

#include <sys/types.h>

/*
 * Start `perfmon sample` on the process tree of `root`, writing into the job directory, if the
 * setting sample asks for it. The sampler has its own process group, no preload, none of our
 * descriptors, and /dev/null as the first three. Returns its pid; 0: no sampler is wanted; -1 with
 * e filled.
 */
pid_t pm_sampler_start(const struct pm_cli *cli, const struct pm_jobdir *d, pid_t root,
		       struct pm_err *e);

/* Make the sampler of this pid finish and wait for it, a few seconds at most; then kill it. Warns of
 * one that failed. Does nothing for a pid of 0 or -1. */
void pm_sampler_stop(pid_t pid);

/*
 * If the setting sample asks for it, start `perfmon sample` in the background, in a session of its
 * own: on the batch job that we are in, else on the processes of our session. Does nothing if a
 * sampler of this job runs on this host already. The sampler ends with the job or the session, or
 * by pm_sampler_end. Returns 0 or -1 with e filled.
 */
int pm_sampler_detach(const struct pm_cli *cli, const struct pm_jobdir *d, struct pm_err *e);

/* Make the sampler that pm_sampler_detach started for this job on this host finish and wait for it,
 * a few seconds at most; then kill it. Does nothing without such a sampler. Returns the sampler's
 * CPU time in µs; 0: unknown. */
int64_t pm_sampler_end(const struct pm_jobdir *d);

#endif
