/* Whether anything is wrong with the processes of a job. */
#ifndef PM_SUBMIT_ROWS_VERIFY_TREE_H
#define PM_SUBMIT_ROWS_VERIFY_TREE_H

#include "db/db.h"

/* The earliest time that a row may have, in microseconds since 1970: the year 2000. */
#define PM_VERIFY_EARLIEST_US 946684800000000

/*
 * Read the processes of a job in the order of their ids: parents before children, depths, CPU times
 * and their sums over descendants, times from 2000 to latest_us. Returns 1 where all is right, 0
 * where something is not, or -1 with e filled.
 */
int pm_verify_tree(struct pm_db *db, int64_t job, int64_t latest_us, struct pm_err *e);

#endif
