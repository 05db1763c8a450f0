/* The sampler that run starts beside the command. */
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

#endif
