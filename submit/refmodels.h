/* Write EPMT's reference models. */
#ifndef PM_SUBMIT_REFMODELS_H
#define PM_SUBMIT_REFMODELS_H

#include "db/db.h"

struct pm_epmt_db;

/* Write the reference models of a database of EPMT at `path`, whose jobs were loaded, each in a
 * transaction of its own, and say so; those whose name is taken stay as they are. Returns 0 or -1
 * with e filled. */
int pm_refmodels_load(struct pm_db *db, struct pm_epmt_db *x, const char *path, struct pm_err *e);

#endif
