/* Facts of a job: its energy, that of its hosts and of their parts. */
#include "config.h"

#include "report/query/query.h"

#include "report/rows/query_row.h"

#include <string.h>

/* The sums are split, as one of large numbers could overflow. */
#define SUM "CAST(sum(energy_uj / 1048576) AS double precision) * 1048576 + "

static int query_parts(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT part, CASE WHEN " SUM "sum(energy_uj % 1048576) < 9.2e18 THEN "
		"CAST(sum(energy_uj / 1048576) AS bigint) * 1048576 + CAST(sum(energy_uj % "
		"1048576) AS "
		"bigint) END, count(DISTINCT host_id) FROM energy WHERE job_id = ? AND in_part = 1 "
		"AND "
		"energy_uj IS NOT NULL GROUP BY part";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		for (int k = 0; k < PM_FACTS_PARTS; k++)
			if (strcmp(pm_db_text(q, 0, NULL), pm_energy_part_name[k]) == 0) {
				f->energy.part_uj[k] = pm_query_int(q, 1);
				f->energy.part_hosts[k] = pm_query_int(q, 2);
			}
	pm_db_finish(q);
	return rc;
}

static int query_hosts(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT energy_uj, energy_mean_uw, energy_peak_uw, energy_covered_us, "
		"energy_time_us, "
		"energy_method, energy_parts, energy_reason FROM host WHERE job_id = ? ORDER BY id";
	struct pm_stmt *q;
	int rc = 0;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	/* The rows are in the order of f->host. */
	for (size_t i = 0; i < f->hosts && (rc = pm_db_step(q, e)) > 0; i++) {
		struct pm_fact_host_energy *x = &f->host[i].energy;

		x->uj = pm_query_int(q, 0);
		x->mean_uw = pm_query_int(q, 1);
		x->peak_uw = pm_query_int(q, 2);
		x->covered_us = pm_query_int(q, 3);
		x->time_us = pm_query_int(q, 4);
		pm_query_field(x->method, sizeof x->method, q, 5, false);
		pm_query_field(x->parts, sizeof x->parts, q, 6, false);
		pm_query_field(x->reason, sizeof x->reason, q, 7, false);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_query_energy(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT energy_uj, energy_mean_uw, energy_peak_uw, energy_method, energy_hosts, "
		"energy_coverage FROM job WHERE id = ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		f->energy.uj = pm_query_int(q, 0);
		f->energy.mean_uw = pm_query_int(q, 1);
		f->energy.peak_uw = pm_query_int(q, 2);
		pm_query_field(f->energy.method, sizeof f->energy.method, q, 3, false);
		f->energy.hosts = pm_query_int(q, 4);
		f->energy.coverage = pm_query_real(q, 5);
	}
	pm_db_finish(q);
	if (rc < 0 || f->energy.hosts == PM_UNKNOWN)
		return rc < 0 ? -1 : 0;
	return query_hosts(db, job, f, e) < 0 ? -1 : query_parts(db, job, f, e);
}
