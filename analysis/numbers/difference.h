/*
 * Whether the runs of two sides differ, by many figures at once: permutation tests of all figures
 * as one family (Westfall and Young, Resampling-Based Multiple Testing, 1993, chapter 2). Numbers
 * in, numbers out; what is not known is NaN.
 */
#ifndef PM_ANALYSIS_NUMBERS_DIFFERENCE_H
#define PM_ANALYSIS_NUMBERS_DIFFERENCE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A run is of one side, or an earlier one that only tells the noise. */
enum pm_difference_side {
	PM_DIFFERENCE_A,
	PM_DIFFERENCE_B,
	PM_DIFFERENCE_EARLIER,
	PM_DIFFERENCE_SIDES
};

/* How likely it is, at most, that any figure is said to differ where none does. */
#define PM_DIFFERENCE_ALPHA 0.01

struct pm_difference {
	double least; /* in: weight of small differences: from about this one on they matter */
	size_t known[PM_DIFFERENCE_SIDES];
	double median[PM_DIFFERENCE_SIDES]; /* NaN where none is known */
	/* 1.4826 MAD, the standard deviation of normal values, of the runs from the median of their
	 * side; NaN where fewer than two runs more than sides are known. */
	double noise;
	double statistic; /* NaN: not judged */
	double p;         /* adjusted for the family; NaN: not judged */
	bool differs;
};

/* By what the figures were judged. */
enum pm_difference_method {
	PM_DIFFERENCE_NONE,        /* the noise is not known */
	PM_DIFFERENCE_FEW,         /* too few runs to permute: by the runs of a side, one by one */
	PM_DIFFERENCE_PERMUTATIONS /* all of them, or drawn ones */
};

struct pm_differences {
	const enum pm_difference_side *side; /* of each run */
	size_t runs;
	const double *value; /* of run i and figure k at i * figures + k */
	struct pm_difference *figure;
	size_t figures;
	/* out */
	enum pm_difference_method method;
	size_t judged;     /* figures of the family */
	double partitions; /* ways in which the runs can be assigned to the sides */
};

/*
 * Judge the figures. With T = |mean of A - mean of B| / sqrt(s^2 (1/a + 1/b) + least^2), where s^2
 * is the variance within the sides and the earlier runs, the p of a figure is the share of the
 * assignments of runs to sides whose largest T, of the figures whose T is not larger, reaches its
 * own (step-down maxT). So, where all runs are of one distribution, whatever it is, any figure
 * differs with a probability of PM_DIFFERENCE_ALPHA at most.
 *
 * Where a side is so small that runs of other sides take its place too often for that, T is judged
 * by the largest T of any figure between two runs of one side or two earlier ones: with n runs more
 * than sides it is exceeded by chance with a probability of some 2 / (2 + n), and x times with one
 * of x^-3 of that, if extreme runs are as frequent as by Student's distribution of 3 degrees of
 * freedom. Returns 0, or -1 with e filled where memory is short.
 */
int pm_differences_judge(struct pm_differences *d, struct pm_err *e);

#endif
