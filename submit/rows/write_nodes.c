/* Write summaries of nodes, and the energy of their meters, to their tables. */
#include "config.h"

#include "db/energy.h"
#include "submit/job/seriessummary.h"
#include "submit/rows/write.h"

#include <math.h>

struct writing {
	struct pm_stmt *q, *energy;
	const struct pm_write_base *base;
};

static int write_row(void *ctx, uint32_t host, const struct pm_nodesummary_of *s,
		     const struct pm_energy_meters *meters, struct pm_err *e)
{
	const struct writing *w = ctx;

	pm_db_bind_int(w->q, 1, w->base->job_id);
	pm_db_bind_int(w->q, 2, w->base->host + host + 1);
	pm_db_bind_int(w->q, 3, s->samples);
	pm_db_bind_int(w->q, 4, s->unknown);
	pm_db_bind_int(w->q, 5, s->resets);
	for (int i = 0; i < PM_NODESUMMARIES; i++)
		if (isfinite(s->value[i]))
			pm_db_bind_real(w->q, 6 + i, s->value[i]);
	if (pm_db_run(w->q, e) < 0)
		return -1;
	return pm_energy_write(w->energy, w->base->job_id, w->base->host + host + 1, meters, e);
}

int pm_write_nodes(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		   struct pm_err *e)
{
	struct writing w = { .base = base };
	int rc = pm_db_insert(db, "node_summary", false, &w.q, e);

	if (rc == 0)
		rc = pm_db_insert(db, "energy", false, &w.energy, e);
	if (rc == 0)
		rc = pm_series_sum_up(&g->series, (uint32_t)g->images.hosts, write_row, &w, e);
	pm_db_finish(w.q);
	pm_db_finish(w.energy);
	return rc < 0 ? pm_err_prefix(e, "write summaries of nodes") : 0;
}
