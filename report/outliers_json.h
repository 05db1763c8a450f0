/* What stands out of a group of jobs, as JSON. */
#ifndef PM_REPORT_OUTLIERS_JSON_H
#define PM_REPORT_OUTLIERS_JSON_H

#include "analysis/judge.h"

#include <jansson.h>

/* Add a group that was judged to an array. Returns 0 or -1 with e filled. */
int pm_outliers_pack(json_t *groups, const struct pm_judge *g, struct pm_err *e);

#endif
