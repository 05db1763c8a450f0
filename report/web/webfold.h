/* Which processes of a large job a page folds: those that are shorter than a limit and have no
 * longer ones below them. */
#ifndef PM_REPORT_WEB_WEBFOLD_H
#define PM_REPORT_WEB_WEBFOLD_H

#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_webfold;

/* Read the processes of a job by one pass: 9 bytes of memory for each. Returns what limits are
 * chosen by, to be freed, or NULL with e filled. */
struct pm_webfold *pm_webfold_read(struct pm_db *db, int64_t job, struct pm_err *e);
void pm_webfold_free(struct pm_webfold *p); /* NULL is fine */

/* The limit by which at most `most` processes are not folded. */
int pm_webfold_limit(const struct pm_webfold *p, int64_t most);

/* Whether the process that comes as the n-th by its id, from 0, is folded by a limit. */
bool pm_webfold_folds(const struct pm_webfold *p, int limit, int64_t n);

/* A limit in us: processes of this wall time and above are not folded. */
int64_t pm_webfold_limit_us(int limit);

#endif
