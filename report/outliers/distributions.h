/* How the figures of comparable jobs are distributed. */
#ifndef PM_REPORT_OUTLIERS_DISTRIBUTIONS_H
#define PM_REPORT_OUTLIERS_DISTRIBUTIONS_H

#include "analysis/outliers/jobfeatures.h"
#include "report/print/page.h"

#include <jansson.h>

/* Print the distribution of each feature of n jobs from number `first` on, which are comparable.
 * Returns 0 or -1 with e filled. */
int pm_distributions_print(const struct pm_page *p, const struct pm_jobfeatures *x, size_t first,
			   size_t n, struct pm_err *e);

/* Add them to an array of groups. Returns 0 or -1 with e filled. */
int pm_distributions_pack(json_t *groups, const struct pm_jobfeatures *x, size_t first, size_t n,
			  struct pm_err *e);

#endif
