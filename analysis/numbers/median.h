/* Medians. */
#ifndef PM_ANALYSIS_NUMBERS_MEDIAN_H
#define PM_ANALYSIS_NUMBERS_MEDIAN_H

#include <stddef.h>

/* Sort known values, the least first. */
void pm_median_sort(double *y, size_t n);

/* Median of n known values, which are sorted thereby; NaN of none. */
double pm_median_of(double *y, size_t n);

#endif
