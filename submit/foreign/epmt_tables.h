/* Tables of a database of EPMT. */
#ifndef PM_SUBMIT_FOREIGN_EPMT_TABLES_H
#define PM_SUBMIT_FOREIGN_EPMT_TABLES_H

#include "db/db.h"

/* Whether both are tables: a malicious view could compute rows forever. Returns 1, 0 or -1 with e
 * filled. */
int pm_epmt_tables(struct pm_db *db, const char *one, const char *other, struct pm_err *e);

#endif
