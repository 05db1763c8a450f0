/*
 * A quantity over time, thinned to a bounded number of cells while it is read: each has the least
 * value, the mean over time and the greatest of a span. Times are seconds.
 */
#ifndef PM_REPORT_DRAW_LINE_H
#define PM_REPORT_DRAW_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct pm_line_cell {
	double from, to;
	double least, most;
	double sum, weight; /* their quotient is the mean */
	bool gap;           /* nothing is known between the cell before and this one */
};

struct pm_line {
	struct pm_line_cell *cell;
	size_t n, room;
	double width; /* spans of cells that were merged are at most this long; 0: none was */
	bool gap;     /* the next value comes after a gap */
	/* Of all values added: their number, extremes, sum over time and time. */
	size_t values;
	double least, most, sum, weight;
	size_t gaps; /* gaps between values, and the time in them */
	double gap_s;
};

/* Prepare an empty line of at most `cells` cells, which is 8 at least. Returns 0, or -1 if out of
 * memory. */
int pm_line_init(struct pm_line *l, size_t cells);
void pm_line_free(struct pm_line *l);

/*
 * Add a value for the time from `from` to `to`, which is not before; it follows all added before.
 * `mean` is its mean over that time, which may be an instant. Values that are not finite are taken
 * as a gap.
 */
void pm_line_add(struct pm_line *l, double from, double to, double least, double mean, double most);

/* What comes next is after a gap. */
void pm_line_gap(struct pm_line *l);

double pm_line_cell_mean(const struct pm_line_cell *c);

/* Mean over time of all values, NAN without one. */
double pm_line_mean(const struct pm_line *l);

#endif
