/* Analyses of a job that EPMT made. */
#ifndef PM_SUBMIT_ANALYSES_H
#define PM_SUBMIT_ANALYSES_H

#include "db/db.h"

/* Write analyses, a JSON object of results by name, to table analysis, inside the transaction; what
 * is no such object has none. Returns 0 or -1 with e filled. */
int pm_analyses_write(struct pm_db *db, int64_t job, const char *text, struct pm_err *e);

#endif
