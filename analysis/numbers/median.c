/* Sort values, and take the one in the middle. */
#include "config.h"

#include "analysis/numbers/median.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void pm_median_sort(double *y, size_t n)
{
	if (n)
		qsort(y, n, sizeof *y, compare);
}

double pm_median_of(double *y, size_t n)
{
	if (n == 0)
		return NAN;
	pm_median_sort(y, n);
	/* Halves, as a sum may be beyond all numbers. */
	return n % 2 ? y[n / 2] : y[n / 2 - 1] / 2 + y[n / 2] / 2;
}
