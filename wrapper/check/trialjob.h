/* The temporary job of perfmon check: one process recorded, packed and loaded, and nothing left of
 * it. */
#ifndef PM_WRAPPER_CHECK_TRIAL_H
#define PM_WRAPPER_CHECK_TRIAL_H

#include "common/check.h"

#include <limits.h>
#include <stdbool.h>

/* Longest reason kept, with its NUL. */
#define PM_CHECK_TRIAL_WHY 512

/* What became of it. */
struct pm_check_trial {
	char place[PATH_MAX];           /* directory of this user's jobs; "": there is none */
	char fault[PM_CHECK_TRIAL_WHY]; /* why nothing was recorded; "": it was */
	char stage[PM_CHECK_TRIAL_WHY]; /* why it was not packed; "": it was */
	char load[PM_CHECK_TRIAL_WHY];  /* why it was not loaded; "": it was */
	char version[64];               /* of the collector; "": not known */
	bool off;                       /* switched off by the user: that is no fault */
	int records;                    /* lines */
	bool by_collector;              /* the process itself wrote its start and its end */
};

/* Run it at the first call. What was found stays as it is; never fails. */
const struct pm_check_trial *pm_check_trial(struct pm_check *c);

#endif
