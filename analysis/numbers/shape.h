/* How the shape of a distribution differs from a normal one. */
#ifndef PM_ANALYSIS_NUMBERS_SHAPE_H
#define PM_ANALYSIS_NUMBERS_SHAPE_H

#include "analysis/numbers/outlier.h"

/* What is not known, of too few values or of values that do not vary, is NaN. */
struct pm_shape {
	double skewness; /* third moment about the mean over the cube of the standard deviation */
	double kurtosis; /* the fourth over its fourth power, less 3, that of a normal distribution
			  */
	double k2;       /* of the test of normality, 8 values or more */
	double p;        /* probability of such a k2, or a greater one, of normal values */
};

/* Of fewer values skewness says nothing. */
#define PM_SHAPE_LEAST 8

/* Below this probability values are not called normal. */
#define PM_SHAPE_ALPHA 0.05

/*
 * The shape of n values, of which d is the distribution; what is not known is NaN. The test is
 * D'Agostino and Pearson's K^2 (Tests for departure from normality, Biometrika 60, 1973): the sum
 * of the squares of the normal scores of skewness and kurtosis, as in D'Agostino, Belanger and
 * D'Agostino Jr. (American Statistician 44, 1990) and Anscombe and Glynn (Biometrika 70, 1983),
 * which has a chi-squared distribution of two degrees of freedom.
 */
void pm_shape_of(struct pm_shape *s, const struct pm_distribution *d, const double *y, size_t n);

#endif
