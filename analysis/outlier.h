/*
 * Which of some values stand out, by three methods: quartiles, median and mean. Numbers in, marks
 * out; what is not known is NaN, and stands nowhere.
 */
#ifndef PM_ANALYSIS_OUTLIER_H
#define PM_ANALYSIS_OUTLIER_H

#include "common/err.h"

#include <stddef.h>

/* The methods; a set of them is bits 1 << method. */
enum pm_outlier_method { PM_OUTLIER_IQR, PM_OUTLIER_MADZ, PM_OUTLIER_Z, PM_OUTLIER_METHODS };

/* How values are distributed. */
struct pm_distribution {
	size_t known; /* number of values that are known; the others need one */
	double least, greatest;
	double q1, median, q3; /* by linear interpolation between neighbours */
	double mad;            /* median of the absolute deviations from the median */
	double mean_deviation; /* mean of these */
	double mean;
	double deviation; /* standard deviation of the population */
};

/* Describe values in any order. Returns 0, or -1 with e filled where memory is short. */
int pm_distribution_of(struct pm_distribution *d, const double *y, size_t n, struct pm_err *e);

/*
 * How far a value lies from the others. madz: modified z score of Iglewicz and Hoaglin (How to
 * Detect and Handle Outliers, 1993), 0.6745 |y - median| / MAD; where MAD is 0, the mean of the
 * absolute deviations takes its place; where that is 0, too, any other value is infinitely far. z:
 * |y - mean| / standard deviation, infinite likewise.
 */
double pm_distribution_madz(const struct pm_distribution *d, double y);
double pm_distribution_z(const struct pm_distribution *d, double y);

/* From where on a value stands out. */
struct pm_outlier_limits {
	double iqr;  /* interquartile ranges below the first quartile or above the third (Tukey) */
	double madz; /* modified z scores */
	double z;    /* z scores */
};

/* 1.5, 3.5 and 3: Tukey's, Iglewicz and Hoaglin's, and three sigma. */
extern const struct pm_outlier_limits pm_outlier_usual;

/* The set of methods by which a value stands out among those described. */
unsigned pm_outlier_marks(const struct pm_distribution *d, const struct pm_outlier_limits *l,
			  double y);

/* The set of methods by which a value stands out from a reference that has no outliers: it is less
 * or more than any of them, or farther from their middle than any of them. */
unsigned pm_outlier_beyond(const struct pm_distribution *reference, double y);

/* Number of methods in a set: the score. */
unsigned pm_outlier_score(unsigned marks);

#endif
