/* Events that make a metric. */
#include "config.h"

#include "report/plot/plotevents.h"

#include <stdlib.h>
#include <string.h>

int pm_plotevents_find(struct pm_plotevents *x, struct pm_db *db, int64_t job, const char *id,
		       struct pm_err *e)
{
	struct pm_formula *list = NULL;
	const char *march;
	bool found = false;
	int n;

	x->events = 0;
	if (pm_counters_sampled(x->name, &x->events, db, job, e) < 0 ||
	    pm_counters_march(&march, db, job, e) < 0)
		return -1;
	n = pm_formula_find((const char *const *)x->name, x->events, march, &list);
	if (n < 0)
		return pm_err(e, "out of memory");
	for (int i = 0; i < n && !found; i++)
		if (strcmp(list[i].info->id, id) == 0) {
			x->formula = list[i];
			found = true;
		}
	free(list);
	if (!found)
		pm_plotevents_free(x);
	return 0;
}

void pm_plotevents_free(struct pm_plotevents *x)
{
	for (size_t i = 0; i < x->events; i++)
		free(x->name[i]);
	x->events = 0;
}

bool pm_plotevents_role(const struct pm_plotevents *x, const char *metric, const char *object,
			struct pm_plotseries_part *part)
{
	static const char *const role[] = { "count", "enabled", "running" };
	size_t i = 0;

	while (i < x->formula.terms && strcmp(x->name[x->formula.term[i]], object) != 0)
		i++;
	if (i == x->formula.terms)
		return false;
	part->event = x->formula.term[i];
	for (size_t k = 0; k < sizeof role / sizeof role[0]; k++)
		if (strcmp(role[k], metric) == 0) {
			part->role = (enum pm_plotseries_role)(PM_PLOTSERIES_EVENT + k);
			return true;
		}
	return false;
}
