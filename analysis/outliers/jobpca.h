/* Principal components of the features of jobs, and how these jobs are distributed along them. */
#ifndef PM_ANALYSIS_OUTLIERS_JOBPCA_H
#define PM_ANALYSIS_OUTLIERS_JOBPCA_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/numbers/outlier.h"
#include "analysis/numbers/pca.h"

struct pm_jobpca {
	struct pm_pca pca;
	/* Of the components: a feature that is known of fewer than nine in ten jobs is in none. */
	const struct pm_feature *feature[PM_FEATURES_MAX];
	size_t jobs;                /* of which all these features are known */
	struct pm_distribution *of; /* of their places, by component */
};

/*
 * Find the components of the jobs numbers first to first + n - 1, or of those of them that `in`
 * marks unless it is NULL; `share` as in pm_pca_of(). Returns 0 or -1 with e filled; to be freed in
 * either case.
 */
int pm_jobpca_of(struct pm_jobpca *p, const struct pm_jobfeatures *x, size_t first, size_t n,
		 const bool *in, double share, struct pm_err *e);

/* The place of a job along each component; NaN where a feature is not known or was not read. */
void pm_jobpca_project(const struct pm_jobpca *p, const struct pm_jobfeatures *x, size_t job,
		       double *component);

#define PM_JOBPCA_NAME 24

/* Name of a component, from 0, as EPMT has it: pca_01. text has PM_JOBPCA_NAME bytes. Returns it.
 */
const char *pm_jobpca_name(char *text, size_t component);

void pm_jobpca_free(struct pm_jobpca *p);

#endif
