/* Facts of a job: what the samples of its nodes make. */
#include "config.h"

#include "report/query.h"

#include "report/query_row.h"

int pm_query_nodes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.samples, s.unknown, s.resets"
#define PM_SUMMARY(id, unit, title, main, help) ", s." #id
#include "common/summaries.def"
#undef PM_SUMMARY
		" FROM host h LEFT JOIN node_summary s ON s.job_id = h.job_id AND s.host_id = h.id"
		" WHERE h.job_id = ? ORDER BY h.id";
	struct pm_stmt *q;
	int rc = 0;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	/* The hosts are in this order, too. */
	for (size_t i = 0; i < f->hosts && (rc = pm_db_step(q, e)) > 0; i++) {
		struct pm_fact_host *h = &f->host[i];

		h->samples = pm_query_int(q, 0);
		h->unknown = pm_query_int(q, 1);
		h->resets = pm_query_int(q, 2);
		for (int k = 0; k < PM_SUMMARIES; k++)
			h->summary[k] = pm_query_real(q, 3 + k);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}
