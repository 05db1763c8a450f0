/* Print the processes of a job as an indented tree. */
#ifndef PM_REPORT_SHOW_SHOW_TREE_H
#define PM_REPORT_SHOW_SHOW_TREE_H

#include "report/print/page.h"
#include "report/show/show_filter.h"

#include "db/db.h"

#include <stdint.h>

/*
 * Print the tree, each process with its times. Of more than `limit` processes, print those with the
 * most CPU time, descendants included, so that they form a tree, too; a line at the end describes
 * the omitted processes. The filter takes a subtree, or all. Images of one process (exec) share a
 * line, "sh -> gcc", unless the earlier image had children. With `counters` each image has a line
 * of its own, followed by a line for each of its events and metrics. Returns 0 or -1 with e filled.
 */
int pm_show_tree(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *filter, bool counters, struct pm_err *e);

#endif
