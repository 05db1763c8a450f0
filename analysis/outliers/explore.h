/* An experiment: the jobs of its components over the time segments of its model, by one figure. */
#ifndef PM_ANALYSIS_OUTLIERS_EXPLORE_H
#define PM_ANALYSIS_OUTLIERS_EXPLORE_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/numbers/outlier.h"
#include "analysis/numbers/segments.h"

struct pm_explore_component {
	const char *name;   /* tag exp_component; "" for none */
	size_t first, jobs; /* its jobs are those of pm_explore.order from first on */
	struct pm_distribution of;
	double sum; /* of the known values; of a level their mean */
};

struct pm_explore_segment {
	const char *name;   /* tag exp_time */
	size_t jobs, known; /* all, and those of known values */
	double sum;     /* of these in all components, of a level their mean; NaN: none is known */
	unsigned marks; /* methods by which the sum stands out among those of all segments */
};

struct pm_explore {
	struct pm_jobfeatures jobs; /* one feature */
	size_t *order;              /* numbers of the jobs: by component, then by segment */
	unsigned *marks; /* of each job: methods by which it stands out in its component */
	struct pm_explore_component *component; /* the largest sum first */
	size_t components;
	struct pm_explore_segment *segment; /* in order; by time where all names are dates */
	size_t segments;
	size_t known;
	double sum; /* of all known values, of a level their mean; NaN: none is known */
};

/* Of fewer values none stands out. */
#define PM_EXPLORE_LEAST 4

/* Read the jobs that a filter takes, and judge them by a feature. Returns 0 or -1 with e filled. To
 * be freed in either case. */
int pm_explore_read(struct pm_explore *x, struct pm_db *db, const struct pm_jobfilter *f,
		    const char *feature, struct pm_err *e);

/* The segments that there should be. */
struct pm_explore_range {
	struct pm_segment first, last;
	struct pm_segment_step step;
};

/* The range from the first to the last segment, by the step that leads to all of them, of the names
 * that are dates. Returns 1, 0 unless two of them differ, or -1 if it is none by
 * pm_explore_range_is(), or there is no memory. */
int pm_explore_range_of(const struct pm_explore *x, struct pm_explore_range *range);

/* Whether a range goes forwards, in no more than 10 000 steps. */
bool pm_explore_range_is(const struct pm_explore_range *r);

/* Call `each` with each segment of a range, one by pm_explore_range_is(), of which a component has
 * no job. */
void pm_explore_missing(const struct pm_explore *x, const struct pm_explore_component *c,
			const struct pm_explore_range *range,
			void (*each)(void *ctx, const struct pm_segment *s), void *ctx);

void pm_explore_free(struct pm_explore *x);

#endif
