/* Several lines added up, or their mean, over time; and how far they are apart. */
#ifndef PM_REPORT_DRAW_COMBINE_H
#define PM_REPORT_DRAW_COMBINE_H

#include "report/draw/line.h"

struct pm_combine_cell {
	double from, to, sum, least, most; /* of the means of the lines that are known there */
	size_t known;
};

struct pm_combine {
	struct pm_combine_cell *cell;
	size_t n, room, lines;
	double width; /* as in struct pm_line, the largest of the lines */
};

/*
 * Begin with the steps of a line that has some cells, and with steps alike where that line has none
 * between the times from and to. Returns 0, or -1 if out of memory; to be freed in either case.
 */
int pm_combine_begin(struct pm_combine *c, const struct pm_line *steps, double from, double to);

/* Add a line. It may be freed then. */
void pm_combine_add(struct pm_combine *c, const struct pm_line *l);

/*
 * Make the sum or, with `average`, the mean of the lines: `whole` where all of them are known,
 * `part` where only some are. Both are prepared here and the caller's then. Returns 0, or -1 if out
 * of memory.
 */
int pm_combine_end(const struct pm_combine *c, bool average, struct pm_line *whole,
		   struct pm_line *part);

/* Make the mean of the lines that are known, with the least and the greatest of them. Returns and
 * prepares as pm_combine_end(). */
int pm_combine_range(const struct pm_combine *c, struct pm_line *range);
void pm_combine_free(struct pm_combine *c);

#endif
