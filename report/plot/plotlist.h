/* What can be plotted of a job. */
#ifndef PM_REPORT_PLOT_PLOTLIST_H
#define PM_REPORT_PLOT_PLOTLIST_H

#include "db/db.h"
#include "report/plot/plots.h"
#include "report/print/page.h"

#include <stdbool.h>
#include <stdint.h>

/* Most alternatives of a plot. */
#define PM_PLOTLIST_SERIES 4

/* The alternatives of a plot. Returns their number. */
size_t pm_plotlist_series(const struct pm_plots_info *info,
			  struct pm_plots_series series[PM_PLOTLIST_SERIES]);

/* Print the plots and the series of a job, as tables or as JSON. Returns 0 or -1 with e filled. */
int pm_plotlist(const struct pm_page *p, bool json, struct pm_db *db, int64_t job,
		struct pm_err *e);

#endif
