/* Rank the figures of a job by how far they lie beyond a reference. */
#include "config.h"

#include "analysis/outliers/rootcause.h"

#include "analysis/outliers/model.h"

#include <math.h>
#include <stdlib.h>

static int by_distance(const void *a, const void *b)
{
	const struct pm_cause *c = a, *d = b;

	if (c->beyond != d->beyond)
		return c->beyond ? -1 : 1;
	if (c->distance != d->distance)
		return c->distance < d->distance ? 1 : -1;
	/* In the order of the table. */
	return (c->feature > d->feature) - (c->feature < d->feature);
}

size_t pm_rootcause(const struct pm_jobfeatures *x, size_t job,
		    const struct pm_reference *reference, struct pm_cause *cause)
{
	size_t n = 0;

	for (size_t k = 0; k < x->features; k++) {
		const struct pm_reference *r = &reference[k];
		const double y = x->value[job * x->features + k];
		double z;

		if (isnan(y) || r->known < PM_MODEL_LEAST || isnan(r->z.score))
			continue;
		z = pm_reference_score(r, PM_OUTLIER_Z, y);
		cause[n++] = (struct pm_cause){ .feature = x->feature[k],
						.value = y,
						.reference = *r,
						.z = z,
						.distance = fabs(z - r->z.score),
						.beyond = z > r->z.score };
	}
	qsort(cause, n, sizeof *cause, by_distance);
	return n;
}
