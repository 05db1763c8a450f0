/* What the verb summary prints. */
#ifndef PM_REPORT_COMPARE_SUMMARY_H
#define PM_REPORT_COMPARE_SUMMARY_H

#include "analysis/compare/jobsums.h"
#include "common/err.h"
#include "report/print/page.h"

#include <stddef.h>
#include <stdint.h>

struct pm_summary {
	const char *by; /* word of the user */
	enum pm_jobsums_by kind;
	struct pm_jobsums sums;
	struct pm_jobsums_job *worst; /* owned */
	size_t worsts;
};

/* Print sums as text, JSON or CSV, of `limit` groups at most. Return 0 or -1 with e filled. */
int pm_summary_print(const struct pm_summary *s, const struct pm_page *p, int64_t limit,
		     struct pm_err *e);
int pm_summary_dump(const struct pm_summary *s, int64_t limit, struct pm_err *e);
int pm_summary_csv(const struct pm_summary *s, int64_t limit, struct pm_err *e);

#endif
