/* Why a plot has nothing to show. */
#ifndef PM_REPORT_PLOT_PLOTWHY_H
#define PM_REPORT_PLOT_PLOTWHY_H

#include "db/db.h"
#include "report/plot/plots.h"
#include "report/plot/plotseries.h"

/* Count the known values of a job's series of a metric, by their totals. *known gets the number, or
 * -1 where there are no such series. Returns 0 or -1 with e filled. */
int pm_plotwhy_known(int64_t *known, struct pm_db *db, int64_t job,
		     const struct pm_plots_series *series, size_t metric, struct pm_err *e);

/* Write what was not sampled and why, as a sentence or two; `sampled`: the job has other series.
 * Returns 0 or -1 with e filled. */
int pm_plotwhy(char *text, size_t size, struct pm_db *db, int64_t job, bool sampled,
	       const struct pm_plots_series *series, size_t n,
	       const struct pm_plotseries_reasons *why, struct pm_err *e);

#endif
