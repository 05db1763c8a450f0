/* The report as a PDF. */
#ifndef PM_REPORT_JOB_REPORT_PDF_H
#define PM_REPORT_JOB_REPORT_PDF_H

#include "common/err.h"
#include "db/db.h"
#include "report/facts/facts.h"

/* Write the report of a job, with plots, to a file, or with - to standard output: `all` as for
 * pm_report_text(), paper as in pm_document. Returns 0 or -1 with e filled. */
int pm_report_pdf(const char *path, const char *paper, struct pm_db *db, const struct pm_facts *f,
		  bool all, struct pm_err *e);

#endif
