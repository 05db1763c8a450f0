/* Charts of plots: of all nodes together, and of each. */
#ifndef PM_REPORT_PLOT_PLOTCHART_H
#define PM_REPORT_PLOT_PLOTCHART_H

#include "report/draw/chart.h"
#include "report/plot/plotread.h"

/* What a chart is told besides its lines. */
struct pm_plotchart {
	const char *name;
	bool average;     /* of all nodes: their average, not their total */
	bool log, binary; /* scale; bytes in KiB, MiB */
	bool objects;     /* the lines are of objects, not of nodes */
	const char *unit; /* in place of the series' own; "" or NULL: that */
};

/* Make the chart of all nodes together. Its lines are p's. */
void pm_plotchart_whole(struct pm_chart *chart, const struct pm_plotchart *x,
			const struct pm_plotread_job *j, const struct pm_plotread *p);

/* Make the chart of each node. Its lines are p's. */
void pm_plotchart_nodes(struct pm_chart *chart, const struct pm_plotchart *x,
			const struct pm_plotread_job *j, const struct pm_plotread *p);

#endif
