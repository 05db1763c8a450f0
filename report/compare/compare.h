/* What the verb compare prints. */
#ifndef PM_REPORT_COMPARE_COMPARE_H
#define PM_REPORT_COMPARE_COMPARE_H

#include "analysis/compare/compare.h"
#include "common/err.h"
#include "report/print/page.h"

#include <stdint.h>

/* Print a comparison: as text, of each table `limit` rows at most, or as JSON. Return 0 or -1 with
 * e filled. */
int pm_compare_print(const struct pm_compare *c, const struct pm_page *p, int64_t limit,
		     struct pm_err *e);
int pm_compare_dump(const struct pm_compare *c, struct pm_err *e);

#endif
