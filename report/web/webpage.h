/*
 * The page of a job: one HTML file that needs nothing else. What the report in a terminal has is
 * there without the browser's help; the processes and series are data that its script draws
 * (page/).
 */
#ifndef PM_REPORT_WEB_WEBPAGE_H
#define PM_REPORT_WEB_WEBPAGE_H

#include "report/facts/facts.h"

#include "db/db.h"

#include <stdio.h>

/* Programs of which the page has figures, beside those of single processes. */
#define PM_WEBPAGE_PROGRAMS 1000

/* Rows of processes that a page has by default. */
#define PM_WEBPAGE_ROWS 1000000

/*
 * Write the page of a job whose facts were read with texts in UTF-8 and a limit of
 * PM_WEBPAGE_PROGRAMS; of its processes at most about `rows` rows. Returns 0, or -1 with e filled;
 * failures of writing are left to the caller, who finds them by ferror(3).
 */
int pm_webpage_write(FILE *out, struct pm_db *db, const struct pm_facts *f, int64_t rows,
		     struct pm_err *e);

#endif
