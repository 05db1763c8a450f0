/* The options of the command line that say which jobs, for the verbs that take them. */
#ifndef PM_REPORT_JOBWORDS_H
#define PM_REPORT_JOBWORDS_H

#include "analysis/jobfilter.h"
#include "common/cli/verb.h"
#include "db/db.h"

/* Take what the user wrote. Returns the long name of the last such option but --order that
 * was given, or NULL. */
const char *pm_jobwords_take(const struct pm_cli *cli, struct pm_jobfilter_words *w);

/* Make the filter; --when is a time, or a job of the database while which others ran. Returns
 * PM_EXIT_OK, or another exit status with e filled. To be freed in either case. */
int pm_jobwords_filter(const struct pm_jobfilter_words *words, struct pm_db *db,
		       struct pm_jobfilter *f, struct pm_err *e);

#endif
