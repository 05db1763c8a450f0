/* The lines of a plot, read from the samples of a job. */
#ifndef PM_REPORT_PLOT_PLOTREAD_H
#define PM_REPORT_PLOT_PLOTREAD_H

#include "db/db.h"
#include "report/draw/chart.h"
#include "report/draw/line.h"
#include "report/plot/plots.h"
#include "report/plot/plotseries.h"

/* Of more lines than a chart tells apart: so many of the highest and of the lowest are shown. */
#define PM_PLOTREAD_EXTREMES 3

struct pm_plotread_line {
	char name[PM_CHART_NAME]; /* node, and object where each has a line */
	struct pm_line line;
	double mean;
};

/* When a job ran, and what of it was sampled. */
struct pm_plotread_job {
	int64_t job, base_us; /* time 0 of the lines: the start of the job */
	double to;            /* seconds from there to the end of the job or of its samples */
	char origin[64];      /* the start as text */
	size_t hosts;
	bool sampled; /* there are series */
	bool retired; /* its samples were deleted by intent */
};

struct pm_plotread {
	struct pm_plots_unit unit;
	char unit_name[PM_PLOTS_NAME];
	bool level; /* values are those of moments, not of the time between two */
	/* Lines with values: all, or the highest and the lowest by their means. */
	struct pm_plotread_line line[PM_CHART_LINES];
	size_t lines, nodes; /* lines kept, and read with values */
	/* All of them together, where some are unknown, and from the least to the greatest. */
	struct pm_line whole, part, range;
	double mean, most; /* mean of their means, and the greatest value of one */
	size_t gaps;
	double gap_s;
	struct pm_plotseries_reasons why;
	char nothing[512]; /* not "": why there are no lines */
};

/* Read about a job. Returns 0 or -1 with e filled. */
int pm_plotread_job(struct pm_plotread_job *j, struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Read the lines of the first of `n` alternatives that has samples. `average`: together they are
 * averaged, else added up. Returns 0, with p->nothing where there are none; or -1 with e filled.
 * pm_plotread_free() in either case.
 */
int pm_plotread(struct pm_plotread *p, const struct pm_plotread_job *j, struct pm_db *db,
		const struct pm_plots_series *series, size_t n, bool average, struct pm_err *e);
void pm_plotread_free(struct pm_plotread *p);

/* Text about gaps, such as "2 gaps, 30 s in all (late)", or "". Writes into PM_CHART_NAME bytes. */
void pm_plotread_gaps(char *text, const struct pm_plotread *p);

#endif
