/* perfmon sample inside a batch job: the job that its series belong to. */
#ifndef PM_WRAPPER_SAMPLED_H
#define PM_WRAPPER_SAMPLED_H

#include "common/verb.h"

#include <sys/types.h>

/* Where the series of a job go that nobody opened and no option gave a place. */
enum pm_sampled_place {
	PM_SAMPLED_HERE,      /* perfmon-JOB in the working directory */
	PM_SAMPLED_WITH_JOBS, /* where start puts jobs */
};

/* A control group that is known to be the job's, and the job's user. */
struct pm_sampled_group {
	const char *directory;
	uid_t uid;
};

/*
 * Call `sample`, the verb, and in a batch job that nobody gave a process of or a place for:
 * open the job before, or join it where it is open, in the directory of --directory and --prefix,
 * else in that of the open job, else in `place`; close it afterwards
 * where this call opened it; with -r have the first host write report-JOB.txt there. With a group the
 * job is what that user runs in it, and nothing else; NULL: it is looked for. Returns its status.
 */
int pm_sampled_run(struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		   enum pm_sampled_place place, const struct pm_sampled_group *group,
		   struct pm_err *e);

#endif
