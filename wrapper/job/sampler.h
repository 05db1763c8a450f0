/* The sampler that run starts beside the command, and the one that start and source leave behind.
 */
#ifndef PM_WRAPPER_BESIDE_H
#define PM_WRAPPER_BESIDE_H

#include "common/jobdir.h"
#include "common/verb.h"

#include <sys/types.h>

/*
 * Start `perfmon sample` on the process tree of `root`, writing into the job directory, when the
 * setting sample asks for it. It has its own process group, no preload, none of our descriptors
 * and /dev/null for the first three. Returns its pid, 0 where none is wanted, -1 with e filled.
 */
pid_t pm_beside_start(const struct pm_cli *cli, const struct pm_jobdir *d, pid_t root,
		      struct pm_err *e);

/* Let it finish and wait for it, a few seconds at most; harmless for a pid of 0 or -1. */
void pm_beside_stop(pid_t pid);

/*
 * Where the setting sample asks for it, start `perfmon sample` on the batch job that we are in,
 * else on this session's processes, detached from it all, unless one samples the open job on this
 * host already. It ends with the job, the session, or by pm_beside_end. Returns 0 or -1 with e
 * filled.
 */
int pm_beside_detach(const struct pm_cli *cli, const struct pm_jobdir *d, struct pm_err *e);

/* Let the one that pm_beside_detach started for this job on this host finish and wait for it, a few
 * seconds at most; harmless where there is none. Returns its CPU time in µs, 0 where unknown. */
int64_t pm_beside_end(const struct pm_jobdir *d);

#endif
