/* Print the critical path of a job. */
#ifndef PM_REPORT_SHOW_SHOW_PATH_H
#define PM_REPORT_SHOW_SHOW_PATH_H

#include "common/err.h"
#include "db/db.h"
#include "report/print/page.h"

#include <stdbool.h>
#include <stdint.h>

/* Print the path of a job, as text or JSON: its programs, and its longest steps, at most `limit`.
 * Returns 0 or -1 with e filled. */
int pm_show_path(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit, bool json,
		 struct pm_err *e);

#endif
