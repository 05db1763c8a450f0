/* What is computed of a comparison. */
#include "config.h"

#include "analysis/compare/comparison.h"

#include <math.h>

double pm_compare_change(const struct pm_difference *d)
{
	const double a = d->median[PM_DIFFERENCE_A], b = d->median[PM_DIFFERENCE_B];

	return a == b ? 0 : (b - a) / fabs(a);
}
