/* perfmon sample --all-jobs: a sampler for each job of this host. */
#ifndef PM_WRAPPER_ALLJOBS_H
#define PM_WRAPPER_ALLJOBS_H

#include "common/verb.h"

/*
 * Until SIGTERM or SIGINT, have a process for each batch job that has a control group here call
 * `sample`, as the job's user: in the job that TaskProlog or a script opened, or in one that it
 * opens where such jobs are. As root it keeps of root's powers those to read counters and accounts
 * alone; as a plain user it sees to that user's jobs. SIGHUP is handed on. Returns the exit status.
 */
int pm_alljobs_run(const struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		   struct pm_err *e);

#endif
