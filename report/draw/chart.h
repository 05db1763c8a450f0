/*
 * A chart of quantities over time: title, axes, lines that are told apart without colours, too, a
 * band from least to most, gaps as gaps; or, in place of an empty one, why there is nothing.
 */
#ifndef PM_REPORT_DRAW_CHART_H
#define PM_REPORT_DRAW_CHART_H

#include "report/draw/canvas.h"
#include "report/draw/line.h"
#include "report/draw/ticks.h"

/* Most lines that a chart tells apart, and room for the name of one. */
#define PM_CHART_LINES 8
#define PM_CHART_NAME  128

/* Most cells of a line: some four for each millimetre. */
#define PM_CHART_CELLS 600

enum pm_chart_style {
	PM_CHART_SOLID, /* a line of its own colour */
	PM_CHART_PART,  /* dotted: the line before, where not all of it is known */
	PM_CHART_RANGE, /* a grey area from least to most with the mean in it */
};

struct pm_chart_line {
	const struct pm_line *line;
	char name[PM_CHART_NAME]; /* "" for none in the legend */
	enum pm_chart_style style;
	bool level; /* values are those at the end of their time, not of all of it */
};

struct pm_chart {
	char title[2 * PM_CHART_NAME];
	char figures[2 * PM_CHART_NAME]; /* beside the title: mean and most */
	char note[512];                  /* below: gaps, what is left out */
	char nothing[512];               /* not "": why there are no values */
	struct pm_ticks_unit unit;
	bool log;
	double from, to; /* seconds of the axis of time */
	char origin[64]; /* what time 0 is, such as "2026-11-20 08:00:00 UTC" */
	struct pm_chart_line line[PM_CHART_LINES + 2];
	size_t lines;
};

/* Draw a chart into a rectangle. */
void pm_chart_draw(struct pm_canvas *c, const struct pm_chart *chart, double x, double y,
		   double width, double height);

#endif
