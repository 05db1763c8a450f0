/* Which features of jobs are figures of operations, of processes and of threads, too. */
#ifndef PM_ANALYSIS_OUTLIERS_ROWFEATURES_H
#define PM_ANALYSIS_OUTLIERS_ROWFEATURES_H

#include "analysis/outliers/jobfeatures.h"

enum pm_rowkind { PM_ROWS_OPERATIONS, PM_ROWS_PROCESSES, PM_ROWS_THREADS };

/*
 * Begin x with the features that words name, as pm_jobfeatures_choose() does, of those that rows of
 * a kind have; "*" for all of these; NULL for duration_us and cpu_time, and of operations
 * processes. Returns 0, or -1 with e filled and errno EINVAL.
 */
int pm_rowfeatures_choose(struct pm_jobfeatures *x, enum pm_rowkind kind, const char *words,
			  struct pm_err *e);

/* The value of a feature in table process, or of a thread in thread_row or process, as SQL; NULL
 * where such a row has none. Static text. */
const char *pm_rowfeatures_sql(enum pm_rowkind kind, const struct pm_feature *feature);

#endif
