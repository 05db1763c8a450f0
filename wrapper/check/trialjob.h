/* The temporary job of perfmon check: record, pack and load one process, then remove the job. */
#ifndef PM_WRAPPER_CHECK_TRIALJOB_H
#define PM_WRAPPER_CHECK_TRIALJOB_H

#include "common/cli/check.h"

#include <limits.h>
#include <stdbool.h>

/* Longest reason kept, with its NUL. */
#define PM_CHECK_TRIAL_WHY 512

/* The results of the temporary job. */
struct pm_check_trial {
	char place[PATH_MAX];           /* directory of this user's jobs; "": there is none */
	char fault[PM_CHECK_TRIAL_WHY]; /* why the job was not recorded; "": it was */
	char stage[PM_CHECK_TRIAL_WHY]; /* why the job was not packed; "": it was */
	char load[PM_CHECK_TRIAL_WHY];  /* why the job was not loaded; "": it was */
	char version[64];               /* of the collector; "": unknown */
	bool off;                       /* the user switched recording off, which is no fault */
	int records;                    /* number of records */
	bool by_collector;              /* the collector wrote the process's start and end */
};

/* Run the job at the first call; later calls return the same results. Never fails. */
const struct pm_check_trial *pm_check_trial(struct pm_check *c);

#endif
