/* Runs of two sides, and how their figures differ. What is not known is NaN. */
#ifndef PM_ANALYSIS_NUMBERS_SIDES_H
#define PM_ANALYSIS_NUMBERS_SIDES_H

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

#endif
