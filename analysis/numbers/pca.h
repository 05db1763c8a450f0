/*
 * Principal components of features: the directions in which standardized values vary most
 * (Jolliffe, Principal Component Analysis, 2002, chapters 2 and 6).
 */
#ifndef PM_ANALYSIS_NUMBERS_PCA_H
#define PM_ANALYSIS_NUMBERS_PCA_H

#include "common/err.h"

#include <stddef.h>

struct pm_pca {
	size_t features, components;
	double *centre, *deviation; /* of each feature; deviation 0 of one that does not vary */
	double *share;              /* of the variance, by component, the largest first */
	/* Of component c and feature k at c * features + k: eigenvectors of the correlation matrix.
	 * The largest of a component is positive. */
	double *loading;
};

/*
 * Find the first components that explain at least `share` of the variance, from 0 to 1, of n rows
 * of known values, row by row. None where nothing varies. Returns 0 or -1 with e filled; to be
 * freed in either case.
 */
int pm_pca_of(struct pm_pca *p, const double *x, size_t n, size_t features, double share,
	      struct pm_err *e);

/* Make room for so many features and components. Returns 0 or -1 with e filled; to be freed in
 * either case. */
int pm_pca_alloc(struct pm_pca *p, size_t features, size_t components, struct pm_err *e);

/* The place of a row of values on each component; NaN where a value is not known. */
void pm_pca_project(const struct pm_pca *p, const double *row, double *component);

/*
 * The weighted score of a job that has so many marks by component, as EPMT has it: the sum of marks
 * times the share of the component over the share of the last component. So a mark on the first of
 * two components with shares of .6811 and .2458 counts 2.8, and one on the second 1.
 */
double pm_pca_weighted(const struct pm_pca *p, const unsigned *marks);

/* How much of a feature is in the components: the sum of share times absolute loading. */
double pm_pca_importance(const struct pm_pca *p, size_t feature);

void pm_pca_free(struct pm_pca *p);

#endif
