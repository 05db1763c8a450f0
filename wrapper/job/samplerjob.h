/* perfmon sample inside a batch job: open, sample and close the job that the series belong to. */
#ifndef PM_WRAPPER_JOB_SAMPLERJOB_H
#define PM_WRAPPER_JOB_SAMPLERJOB_H

#include "common/cli/verb.h"

#include <sys/types.h>

/* Where the series go if no job is open and no option names a directory. */
enum pm_samplerjob_place {
	PM_SAMPLERJOB_HERE,      /* perfmon-JOB in the working directory */
	PM_SAMPLERJOB_WITH_JOBS, /* the folder in which start makes job directories */
};

/* A control group that belongs to the job, and the job's user. */
struct pm_samplerjob_group {
	const char *directory;
	uid_t uid;
};

/*
 * Call `sample`, the verb. In a batch job, unless the command line names a process or a control
 * group or recording is off: first open or join the job, in the directory of --directory and
 * --prefix, else of the setting output, else of the open job, else in `place`; afterwards close the
 * job if this call opened it. With -r the first host writes reports and plots into the directory.
 * `group`: the job is only the processes of that user in that group; NULL: search for the job's
 * group. Returns the exit status.
 */
int pm_samplerjob_run(struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		      enum pm_samplerjob_place place, const struct pm_samplerjob_group *group,
		      struct pm_err *e);

#endif
