/* What the verb trend prints. */
#ifndef PM_REPORT_COMPARE_TREND_H
#define PM_REPORT_COMPARE_TREND_H

#include "analysis/numbers/changepoints.h"
#include "analysis/outliers/jobfeatures.h"
#include "common/err.h"
#include "report/print/page.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Comparable jobs, in the order of their starts. */
struct pm_trend {
	const struct pm_jobfeatures *x;
	size_t first, jobs; /* of x */
	struct {
		struct pm_changepoint *change; /* owned */
		size_t changes;
	} of[PM_FEATURES_MAX]; /* of each figure of x */
};

/* Print a trend as text, or on a page for a browser, with the newest `limit` runs. Returns 0 or -1
 * with e filled. */
int pm_trend_print(const struct pm_trend *t, const struct pm_page *p, int64_t limit,
		   struct pm_err *e);

/* Draw each figure over all runs, on a page for a browser: its values with gaps where one is not
 * known, the median of each level, the changes. */
void pm_trend_picture(const struct pm_trend *t, const struct pm_page *p);

/* The value of a figure of a job, by its number from 0; NaN: unknown. And a change as a part of
 * what was before. */
double pm_trend_value(const struct pm_trend *t, size_t job, size_t figure);
double pm_trend_change_size(const struct pm_changepoint *c);

/* The same as lines of CSV, and as an object: a new reference, NULL if out of memory. */
void pm_trend_csv(const struct pm_trend *t, int64_t limit);
json_t *pm_trend_pack(const struct pm_trend *t, int64_t limit);

/* The first line of the CSV. */
void pm_trend_csv_names(const struct pm_jobfeatures *x);

/* The change of a figure that begins with a job, by its number from 0; NULL: none. */
const struct pm_changepoint *pm_trend_change(const struct pm_trend *t, size_t figure, size_t job);

/* The first of the newest `limit` jobs. */
size_t pm_trend_from(const struct pm_trend *t, int64_t limit);

#endif
