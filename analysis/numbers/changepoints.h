/*
 * Where the level of a series of values changes: binary segmentation by the largest rank statistic
 * of all places where it could (Pettitt, A non-parametric approach to the change-point problem,
 * Applied Statistics 28, 1979), judged by permutations. Numbers in, numbers out.
 */
#ifndef PM_ANALYSIS_NUMBERS_CHANGEPOINTS_H
#define PM_ANALYSIS_NUMBERS_CHANGEPOINTS_H

#include "common/err.h"

#include <stddef.h>

/* A level holds for so many values at least: fewer are outliers. */
#define PM_CHANGEPOINT_RUN 3

/* How likely it is, at most, that a series of one level has a change. */
#define PM_CHANGEPOINT_ALPHA 0.01

/* Levels that differ by less, as a part of the one before, are none. */
#define PM_CHANGEPOINT_LEAST 0.02

struct pm_changepoint {
	size_t at;            /* the first value of the new level */
	double before, after; /* medians of the two levels */
};

/*
 * Find the changes of n values in the order of time; those that are not known, NaN, count as not
 * there. *change, to be freed by the caller, gets *changes of them, by place. Returns 0, or -1 with
 * e filled where memory is short.
 */
int pm_changepoints_find(const double *y, size_t n, struct pm_changepoint **change, size_t *changes,
			 struct pm_err *e);

#endif
