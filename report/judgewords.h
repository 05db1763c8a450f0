/* The options of the command line that say how jobs are judged, for the verbs that take them. */
#ifndef PM_REPORT_JUDGEWORDS_H
#define PM_REPORT_JUDGEWORDS_H

#include "analysis/outliers/judge.h"
#include "common/cli/verb.h"

/* Take --score, --method and --pca, and the settings; how has no reference then. Returns 0, or -1
 * with e filled where the user cannot mean that. */
int pm_judgewords_take(const struct pm_cli *cli, struct pm_judge_how *how, struct pm_err *e);

#define PM_JUDGEWORDS_TOP 3

/* The features that are most in the components: their numbers there, into top. Returns how many. */
size_t pm_judgewords_top(const struct pm_jobpca *p, size_t top[PM_JUDGEWORDS_TOP]);

#endif
