/* Events of the sampler that make a metric of formulas.def. */
#ifndef PM_REPORT_PLOT_PLOTEVENTS_H
#define PM_REPORT_PLOT_PLOTEVENTS_H

#include "common/record/formulas.h"
#include "db/db.h"
#include "report/plot/plotseries.h"
#include "report/rows/counters.h"

struct pm_plotevents {
	char *name[PM_COUNTERS_MAX]; /* of all events of the job, sorted */
	size_t events;
	struct pm_formula formula;
};

/* Find the events of a job, and the metric `id` as its processors have it; without it, x->events is
 * 0. Returns 0 or -1 with e filled; to be freed in either case. */
int pm_plotevents_find(struct pm_plotevents *x, struct pm_db *db, int64_t job, const char *id,
		       struct pm_err *e);
void pm_plotevents_free(struct pm_plotevents *x);

/* What a series of the source perf is to the formula. Returns false where it is nothing. */
bool pm_plotevents_role(const struct pm_plotevents *x, const char *metric, const char *object,
			struct pm_plotseries_part *part);

#endif
