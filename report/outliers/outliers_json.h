/* What stands out of a group of jobs, as JSON. */
#ifndef PM_REPORT_OUTLIERS_OUTLIERS_JSON_H
#define PM_REPORT_OUTLIERS_OUTLIERS_JSON_H

#include "analysis/outliers/judge.h"

#include <jansson.h>

/* An object about a job: id, jobid, user and start_us. A new reference. */
json_t *pm_outliers_pack_job(const struct pm_jobfeatures_job *j);

/* The features of a group: how their values are distributed, or the reference. A new reference. */
json_t *pm_outliers_pack_features(const struct pm_judge *g);

/* Add a group that was judged to an array. Returns 0 or -1 with e filled. */
int pm_outliers_pack(json_t *groups, const struct pm_judge *g, struct pm_err *e);

#endif
