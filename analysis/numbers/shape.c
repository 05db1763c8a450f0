/* Skewness, kurtosis and a test of normality. */
#include "config.h"

#include "analysis/numbers/shape.h"

#include <math.h>

/* The normal score of the skewness of n values (D'Agostino et al. 1990, equations 13 to 15). */
static double skewness_score(double skewness, double n)
{
	const double y = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
	const double beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) /
			    ((n - 2) * (n + 5) * (n + 7) * (n + 9));
	const double w = sqrt(2 * (beta - 1)) - 1; /* W squared */
	const double alpha = sqrt(2 / (w - 1));

	return asinh(y / alpha) / sqrt(log(w) / 2);
}

/* The normal score of the kurtosis, that of a normal distribution being 3 (Anscombe and Glynn 1983,
 * in D'Agostino et al. 1990, equations 16 to 19). */
static double kurtosis_score(double kurtosis, double n)
{
	const double mean = 3 * (n - 1) / (n + 1);
	const double variance =
		24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
	const double x = (kurtosis - mean) / sqrt(variance);
	const double beta = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) *
			    sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
	const double a = 6 + 8 / beta * (2 / beta + sqrt(1 + 4 / (beta * beta)));

	return (1 - 2 / (9 * a) - cbrt((1 - 2 / a) / (1 + x * sqrt(2 / (a - 4))))) /
	       sqrt(2 / (9 * a));
}

void pm_shape_of(struct pm_shape *s, const struct pm_distribution *d, const double *y, size_t n)
{
	const double known = (double)d->known;
	double cubes = 0, fourths = 0, skew, kurt;

	*s = (struct pm_shape){ NAN, NAN, NAN, NAN };
	if (d->known == 0 || d->deviation == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const double z = (y[i] - d->mean) / d->deviation;

		if (!isnan(z)) {
			cubes += z * z * z;
			fourths += z * z * z * z;
		}
	}
	s->skewness = cubes / known;
	s->kurtosis = fourths / known - 3;
	if (d->known < PM_SHAPE_LEAST)
		return;
	skew = skewness_score(s->skewness, known);
	kurt = kurtosis_score(s->kurtosis + 3, known);
	s->k2 = skew * skew + kurt * kurt;
	s->p = exp(-s->k2 / 2);
}
