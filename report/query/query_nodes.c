/* Facts of a job: summaries of its nodes' samples. */
#include "config.h"

#include "report/query/query.h"

#include "report/rows/query_row.h"

/* Read the largest number of simultaneous batch jobs on each host. The series of a job have no
 * index by host: one pass finds those of all. */
static int query_jobs(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.host_id, max(x.maximum) FROM series s JOIN series_summary x"
		" ON x.job_id = s.job_id AND x.series_id = s.id WHERE s.job_id = ?"
		" AND s.source = 'jobs' AND s.metric = 'jobs' GROUP BY s.host_id ORDER BY "
		"s.host_id";
	struct pm_stmt *q;
	size_t i = 0;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		while (i < f->hosts && f->host[i].id < pm_db_int(q, 0))
			i++;
		if (i < f->hosts && f->host[i].id == pm_db_int(q, 0))
			f->host[i].jobs = pm_query_int(q, 1);
	}
	pm_db_finish(q);
	return rc;
}

int pm_query_nodes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.samples, s.unknown, s.resets"
#define PM_NODESUMMARY(id, unit, title, main, help) ", s." #id
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
		" FROM host h LEFT JOIN node_summary s ON s.job_id = h.job_id AND s.host_id = h.id"
		" WHERE h.job_id = ? ORDER BY h.id";
	struct pm_stmt *q;
	int rc = 0;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	/* The rows are in the order of f->host. */
	for (size_t i = 0; i < f->hosts && (rc = pm_db_step(q, e)) > 0; i++) {
		struct pm_fact_host *h = &f->host[i];

		h->samples = pm_query_int(q, 0);
		h->unknown = pm_query_int(q, 1);
		h->resets = pm_query_int(q, 2);
		for (int k = 0; k < PM_NODESUMMARIES; k++)
			h->summary[k] = pm_query_real(q, 3 + k);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : query_jobs(db, job, f, e);
}
