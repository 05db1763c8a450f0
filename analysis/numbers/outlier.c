/* Distributions and what stands out of them. */
#include "config.h"

#include "analysis/numbers/outlier.h"

#include "analysis/numbers/median.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The normal distribution's third quartile: makes the MAD comparable with a standard deviation. */
#define NORMAL_Q3 0.6745

/* Ranges of the pseudo-quartiles of a reference between them and its ends. */
#define FENCES 1.5

/* The value below which a share of sorted ones lies, by linear interpolation. n > 0. */
static double quantile(const double *sorted, size_t n, double share)
{
	const double at = share * (double)(n - 1);
	const size_t below = (size_t)at;

	if (below + 1 >= n)
		return sorted[n - 1];
	/* Equal neighbours, infinite ones among them, have no values between them. */
	if (sorted[below] == sorted[below + 1])
		return sorted[below];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void describe(struct pm_distribution *d, double *y, size_t n)
{
	double sum = 0, squares = 0;

	pm_median_sort(y, n);
	d->least = y[0];
	d->greatest = y[n - 1];
	d->q1 = quantile(y, n, 0.25);
	d->median = quantile(y, n, 0.5);
	d->q3 = quantile(y, n, 0.75);
	for (size_t i = 0; i < n; i++)
		sum += y[i];
	d->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (y[i] - d->mean) * (y[i] - d->mean);
	/* The rounding of the sum makes a mean of equal values another value. */
	if (d->least == d->greatest) {
		d->mean = d->least;
		squares = 0;
	}
	d->deviation = sqrt(squares / (double)n);
	for (size_t i = 0; i < n; i++)
		y[i] = fabs(y[i] - d->median);
	pm_median_sort(y, n);
	d->mad = quantile(y, n, 0.5);
	sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += y[i];
	d->mean_deviation = sum / (double)n;
}

int pm_distribution_of(struct pm_distribution *d, const double *y, size_t n, struct pm_err *e)
{
	double *known = malloc((n ? n : 1) * sizeof *known);

	*d = (struct pm_distribution){ .known = 0 };
	if (!known)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i]))
			known[d->known++] = y[i];
	if (d->known)
		describe(d, known, d->known);
	free(known);
	return 0;
}

/* How often a spread goes into a distance. */
static double in_spreads(double distance, double spread)
{
	if (distance == 0)
		return 0;
	return spread > 0 ? distance / spread : INFINITY;
}

double pm_distribution_madz(const struct pm_distribution *d, double y)
{
	return in_spreads(NORMAL_Q3 * fabs(y - d->median), d->mad > 0 ? d->mad : d->mean_deviation);
}

double pm_distribution_z(const struct pm_distribution *d, double y)
{
	return in_spreads(fabs(y - d->mean), d->deviation);
}

/* Whether a distance is more than a limit; what is equal but for rounding is not. */
static bool exceeds(double distance, double limit)
{
	return distance > limit * (1 + 1e-12);
}

unsigned pm_outlier_marks(const struct pm_distribution *d, const struct pm_outlier_limits *l,
			  double y)
{
	const double range = d->q3 - d->q1;
	unsigned marks = 0;

	if (isnan(y) || d->known == 0)
		return 0;
	if (exceeds(d->q1 - y, l->iqr * range) || exceeds(y - d->q3, l->iqr * range))
		marks |= 1U << PM_OUTLIER_IQR;
	if (exceeds(pm_distribution_madz(d, y), l->madz))
		marks |= 1U << PM_OUTLIER_MADZ;
	if (exceeds(pm_distribution_z(d, y), l->z))
		marks |= 1U << PM_OUTLIER_Z;
	return marks;
}

void pm_reference_of(struct pm_reference *r, const struct pm_distribution *d)
{
	/* The farthest is one of both ends. */
	*r = (struct pm_reference){
		.known = d->known,
		.least = d->least,
		.greatest = d->greatest,
		.low = (3 * d->greatest + 5 * d->least) / 8,
		.high = (5 * d->greatest + 3 * d->least) / 8,
		.madz = { fmax(pm_distribution_madz(d, d->least),
			       pm_distribution_madz(d, d->greatest)),
			  d->median, d->mad > 0 ? d->mad : d->mean_deviation },
		.z = { fmax(pm_distribution_z(d, d->least), pm_distribution_z(d, d->greatest)),
		       d->mean, d->deviation },
	};
}

double pm_reference_score(const struct pm_reference *r, enum pm_outlier_method method, double y)
{
	return method == PM_OUTLIER_MADZ
		       ? in_spreads(NORMAL_Q3 * fabs(y - r->madz.centre), r->madz.spread)
		       : in_spreads(fabs(y - r->z.centre), r->z.spread);
}

unsigned pm_reference_marks(const struct pm_reference *r, const struct pm_outlier_limits *l,
			    double y)
{
	/* By least and greatest, which the pseudo-quartiles have but for rounding. */
	const double more = (l->iqr - FENCES) * (r->greatest - r->least) / 4;
	unsigned marks = 0;

	if (isnan(y) || r->known == 0)
		return 0;
	if (y < r->least - more || y > r->greatest + more)
		marks |= 1U << PM_OUTLIER_IQR;
	if (pm_reference_score(r, PM_OUTLIER_MADZ, y) > r->madz.score)
		marks |= 1U << PM_OUTLIER_MADZ;
	if (pm_reference_score(r, PM_OUTLIER_Z, y) > r->z.score)
		marks |= 1U << PM_OUTLIER_Z;
	return marks;
}

unsigned pm_outlier_score(unsigned marks)
{
	return (unsigned)__builtin_popcount(marks);
}
