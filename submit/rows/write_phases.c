/* Write phases to their table. */
#include "config.h"

#include "submit/rows/write.h"

#include <stdlib.h>

/* Metadata with the job's stop on a host, or NULL. */
static const struct pm_meta *stop_of(const struct pm_gather *g, uint32_t host)
{
	for (size_t i = 0; i < g->metas; i++)
		if (g->meta[i].host == host && g->meta[i].set[PM_JOB_stop_time_us])
			return &g->meta[i];
	return NULL;
}

/* Bind a phase's times from its marks; a phase without an end lasts until the job's stop on its
 * host. */
static void bind_times(struct pm_stmt *q, const struct pm_gather *g,
		       const struct pm_phase_event *begin, const struct pm_phase_event *end)
{
	const struct pm_meta *stop = end ? NULL : stop_of(g, begin->host);

	if (begin)
		pm_db_bind_int(q, 6, begin->realtime_us);
	if (end)
		pm_db_bind_int(q, 7, end->realtime_us);
	if (begin && end)
		pm_db_bind_int(q, 8, end->monotonic_us - begin->monotonic_us);
	if (!stop || stop->number[PM_JOB_stop_time_us] < begin->realtime_us)
		return;
	pm_db_bind_int(q, 7, stop->number[PM_JOB_stop_time_us]);
	if (stop->set[PM_JOB_stop_monotonic_us] &&
	    stop->number[PM_JOB_stop_monotonic_us] >= begin->monotonic_us)
		pm_db_bind_int(q, 8, stop->number[PM_JOB_stop_monotonic_us] - begin->monotonic_us);
}

int pm_write_phases(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		    struct pm_err *e)
{
	struct pm_phases *p = &g->phases;
	int64_t id = 0;
	struct pm_stmt *q;
	int rc = 0;

	if (p->count == 0)
		return 0;
	if (pm_phases_pair(p, e) < 0 || pm_db_insert(db, "phase", false, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < p->count && rc == 0; i++) {
		const struct pm_phase_event *v = &p->event[i];
		const struct pm_phase_event *other =
			v->other == SIZE_MAX ? NULL : &p->event[v->other];

		/* The beginning of a pair writes the row for both. */
		if (!v->begin && other)
			continue;
		if (i > 0 && p->event[i - 1].host != v->host)
			id = 0;
		pm_db_bind_int(q, 1, base->job_id);
		pm_db_bind_int(q, 2, base->host + v->host + 1);
		pm_db_bind_int(q, 3, ++id);
		pm_db_bind_str(q, 4, v->name);
		pm_db_bind_int(q, 5, v->pid);
		bind_times(q, g, v->begin ? v : NULL, v->begin ? other : v);
		pm_db_bind_int(q, 9, !v->begin || other);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write phases") : 0;
}
