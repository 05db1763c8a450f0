/* perfmon sample --all-jobs: run a sampler for each batch job of this host. */
#ifndef PM_WRAPPER_JOB_SERVICE_H
#define PM_WRAPPER_JOB_SERVICE_H

#include "common/cli/verb.h"

/*
 * Until SIGTERM or SIGINT, run a process for each batch job that has a control group on this host.
 * The process calls `sample` as the job's user, in the job that TaskProlog or a script opened, else
 * in a job that it opens itself. Started by root, it keeps only the capabilities that reading
 * counters and accounts needs; a plain user's service follows that user's jobs. SIGHUP is
 * forwarded. Returns the exit status.
 */
int pm_service_run(const struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		   struct pm_err *e);

#endif
