/* The processes of a job as an indented tree. */
#ifndef PM_SHOW_TREE_H
#define PM_SHOW_TREE_H

#include "report/page.h"

#include "db/db.h"

#include <stdint.h>

/*
 * Print the tree, each process with its times. Of a job with more processes than `limit` those with
 * the most CPU time, descendants included, are shown, so that what is shown is a tree, too; a line
 * at the end says what is missing. Images of one process (exec) share a line, "sh -> gcc", unless
 * the earlier one had children. With `counters` each image has a line of its own, and below it a
 * line for every event that it counted and every metric these make. Returns 0 or -1 with e filled.
 */
int pm_show_tree(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 bool counters, struct pm_err *e);

#endif
