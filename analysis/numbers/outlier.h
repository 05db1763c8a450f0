/*
 * Which of some values stand out, by three methods: quartiles, median and mean. Numbers in, marks
 * out; what is not known is NaN, and stands nowhere.
 */
#ifndef PM_ANALYSIS_NUMBERS_OUTLIER_H
#define PM_ANALYSIS_NUMBERS_OUTLIER_H

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

/* The settings outlier_iqr, outlier_madz and outlier_z, without others 1.5, 3.5 and 3: Tukey's,
 * Iglewicz and Hoaglin's, and three sigma. */
struct pm_outlier_limits pm_outlier_limits(void);

/* All methods, as a set. */
#define PM_OUTLIER_ALL ((1U << PM_OUTLIER_METHODS) - 1)

/* Read a list of methods, iqr, madz and z, with commas between; NULL: all of them. Returns 0, or -1
 * with e filled. */
int pm_outlier_read_methods(const char *list, unsigned *methods, struct pm_err *e);

/* Name of a method as pm_outlier_read_methods() takes it. */
const char *pm_outlier_method_name(enum pm_outlier_method m);

/* The set of methods by which a value stands out among those described. */
unsigned pm_outlier_marks(const struct pm_distribution *d, const struct pm_outlier_limits *l,
			  double y);

/* The scores of the values of a reference by a method. */
struct pm_reference_scores {
	double score;          /* the largest */
	double centre, spread; /* of which the score of a value is made */
};

/* What is kept of a reference that has no outliers, as EPMT's trained models keep it. */
struct pm_reference {
	size_t known; /* number of values that are known; the others need one */
	double least, greatest;
	/* Pseudo-quartiles (3 greatest + 5 least) / 8 and (5 greatest + 3 least) / 8: 1.5 times
	 * their range beyond them are the least and the greatest value. */
	double low, high;
	struct pm_reference_scores madz, z;
};

void pm_reference_of(struct pm_reference *r, const struct pm_distribution *d);

/* The score of a value by a method other than PM_OUTLIER_IQR, as pm_distribution_madz() and
 * pm_distribution_z(). */
double pm_reference_score(const struct pm_reference *r, enum pm_outlier_method method, double y);

/* The set of methods by which a value stands out from a reference: beyond the fences of its
 * pseudo-quartiles, which with l->iqr of 1.5 are the least and the greatest value; or with a
 * greater score than any value of the reference. */
unsigned pm_reference_marks(const struct pm_reference *r, const struct pm_outlier_limits *l,
			    double y);

/* Number of methods in a set: the score. */
unsigned pm_outlier_score(unsigned marks);

#endif
