/* Write summaries of nodes to their table. */
#include "config.h"

#include "submit/rows/write.h"

#include <math.h>
#include <string.h>

/* Add the samples of a tick to a summary. Returns 0 or -1 with e filled. */
static int take_tick(struct pm_nodesummary *n, struct pm_series *s, const struct pm_series_tick *t,
		     struct pm_err *e)
{
	uint64_t at = t->at;

	for (uint32_t i = 0; i < t->samples; i++) {
		struct pm_str item;
		struct pm_sample x;

		if (pm_blobs_get(&s->store, at, &item, e) < 0)
			return -1;
		memcpy(&x, item.p, sizeof x);
		at = pm_blobs_next(at, item);
		if (pm_nodesummary_value(n, s->info[x.series].role, x.known, x.value, e) < 0)
			return -1;
	}
	pm_nodesummary_tick(n, t->monotonic_us);
	return 0;
}

static int write_row(struct pm_stmt *q, int64_t job, int64_t host, const struct pm_nodesummary *n,
		     struct pm_err *e)
{
	struct pm_nodesummary_of s;

	pm_nodesummary_finish(n, &s);
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, host);
	pm_db_bind_int(q, 3, s.samples);
	pm_db_bind_int(q, 4, s.unknown);
	pm_db_bind_int(q, 5, s.resets);
	for (int i = 0; i < PM_NODESUMMARIES; i++)
		if (isfinite(s.value[i]))
			pm_db_bind_real(q, 6 + i, s.value[i]);
	return pm_db_run(q, e);
}

int pm_write_nodes(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		   struct pm_err *e)
{
	struct pm_series *s = &g->series;
	struct pm_stmt *q;
	size_t i = 0;
	int rc = 0;

	pm_series_sort(s);
	if (pm_db_insert(db, "node_summary", false, &q, e) < 0)
		return -1;
	for (uint32_t host = 0; host < g->images.hosts && rc == 0; host++) {
		struct pm_nodesummary *n = pm_nodesummary_new();

		rc = n ? 0 : pm_err(e, "out of memory");
		for (; rc == 0 && i < s->ticks && s->tick[i].host == host; i++)
			rc = take_tick(n, s, &s->tick[i], e);
		if (rc == 0)
			rc = write_row(q, base->job_id, base->host + host + 1, n, e);
		pm_nodesummary_free(n);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write summaries of nodes") : 0;
}
