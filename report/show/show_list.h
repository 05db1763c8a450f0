/* Print processes of a job as a list. */
#ifndef PM_REPORT_SHOW_SHOW_LIST_H
#define PM_REPORT_SHOW_SHOW_LIST_H

#include "report/print/page.h"
#include "report/show/show_filter.h"

#include "db/db.h"

#include <stdint.h>

/* Print the processes that the filter takes, at most `limit`, in the order of the tree or of their
 * starts. Returns 0 or -1 with e filled. */
int pm_show_list(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *f, struct pm_err *e);

#endif
