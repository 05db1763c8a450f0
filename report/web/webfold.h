/* Which processes of a large job a page folds: those that are shorter than a limit and have no
 * longer ones below them. */
#ifndef PM_REPORT_WEB_WEBFOLD_H
#define PM_REPORT_WEB_WEBFOLD_H

#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_webfold;

/*
 * Choose the limit so that at most `most` processes are not folded, by one pass over the processes
 * of a job: 9 bytes of memory for each. Returns the plan, to be freed, or NULL with e filled.
 */
struct pm_webfold *pm_webfold_plan(struct pm_db *db, int64_t job, int64_t most, struct pm_err *e);
void pm_webfold_free(struct pm_webfold *p);

/* Whether the process that comes as the n-th by its id, from 0, is folded. */
bool pm_webfold_folds(const struct pm_webfold *p, int64_t n);

/* The limit in us: processes of this wall time and above are not folded. */
int64_t pm_webfold_limit(const struct pm_webfold *p);

#endif
