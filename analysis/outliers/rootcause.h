/* Which figures of a job explain that it is unlike others. */
#ifndef PM_ANALYSIS_OUTLIERS_ROOTCAUSE_H
#define PM_ANALYSIS_OUTLIERS_ROOTCAUSE_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/numbers/outlier.h"

#include <stdbool.h>

struct pm_cause {
	const struct pm_feature *feature;
	double value;
	struct pm_reference reference;
	double z; /* of the value beside the reference */
	/* |z - largest z of a value of the reference|, as EPMT has it; infinite where the reference
	 * does not vary and the value is another. */
	double distance;
	bool beyond; /* z is the larger */
};

/*
 * Rank the features of a job, number `job` of x: those that are beyond the reference first, of each
 * kind the greatest distance. reference[k] is that of feature k of x; one that is known of fewer
 * than three jobs is left out, as is a value that is not known. cause has room for x->features.
 * Returns how many.
 */
size_t pm_rootcause(const struct pm_jobfeatures *x, size_t job,
		    const struct pm_reference *reference, struct pm_cause *cause);

#endif
