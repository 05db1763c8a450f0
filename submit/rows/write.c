/* Write hosts and series of a job to their tables. */
#include "config.h"

#include "submit/rows/write.h"

#include "sql/schema.h"
#include "submit/job/seriesorder.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

int pm_write_bind_meta(struct pm_stmt *q, int at, const struct pm_meta *m, bool host_table)
{
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		if ((pm_job_info[k].section != PM_JOB_IN_job) != host_table)
			continue;
		if (m && m->set[k] && m->text[k])
			pm_db_bind_str(q, at, m->text[k]);
		else if (m && m->set[k])
			pm_db_bind_int(q, at, m->number[k]);
		at++;
	}
	return at;
}

/* Metadata of each host, or NULL; among several the last one with a stop. Returns a list to be
 * freed by the caller, or NULL if out of memory. */
static const struct pm_meta **metas_by_host(const struct pm_gather *g)
{
	const struct pm_meta **of = calloc(g->images.hosts + 1, sizeof *of);

	for (size_t i = 0; i < g->metas && of; i++) {
		const struct pm_meta *m = &g->meta[i];

		if (m->host < g->images.hosts && (!of[m->host] || m->set[PM_JOB_stop_time_us]))
			of[m->host] = m;
	}
	return of;
}

static int write_hosts(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		       struct pm_err *e)
{
	const struct pm_schema_table *t = pm_schema_find("host");
	int name = pm_schema_index(t, "hostname") + 1, boot = pm_schema_index(t, "boot_id") + 1;
	const struct pm_meta **meta = metas_by_host(g);
	struct pm_stmt *q = NULL;
	int rc = meta ? 0 : pm_err(e, "out of memory");

	if (rc == 0)
		rc = pm_db_insert(db, "host", false, &q, e);
	for (uint32_t i = 0; i < g->images.hosts && rc == 0; i++) {
		const struct pm_host *h = &g->images.host[i];

		pm_db_bind_int(q, 1, base->job_id);
		pm_db_bind_int(q, 2, base->host + i + 1);
		pm_write_bind_meta(q, 3, meta[i], true);
		if (h->hostname[0])
			pm_db_bind_str(q, name, h->hostname);
		if (h->boot_id[0])
			pm_db_bind_str(q, boot, h->boot_id);
		rc = pm_db_run(q, e);
	}
	free(meta);
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write hosts") : 0;
}

static int write_series(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
			struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_insert(db, "series", false, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < g->series.count && rc == 0; i++) {
		const struct pm_series_info *s = &g->series.info[i];

		pm_db_bind_int(q, 1, base->job_id);
		pm_db_bind_int(q, 2, base->series + (int64_t)i + 1);
		pm_db_bind_int(q, 3, base->host + s->host + 1);
		for (int k = 0; k < 5; k++)
			pm_db_bind_str(q, 4 + k, s->text[k]);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write series") : 0;
}

int pm_write_hosts(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		   const struct pm_write_base *base, struct pm_err *e)
{
	uint32_t *order = NULL;
	size_t n;
	int rc;

	if (write_hosts(db, g, base, e) < 0 || pm_write_excluded(db, g, t, base, e) < 0 ||
	    write_series(db, g, base, e) < 0 || pm_write_phases(db, g, base, e) < 0 ||
	    pm_write_tallies(db, g, base, e) < 0)
		return -1;
	/* Resolves what overlaps, for the summaries, too. The samples are last, since writing them
	 * may spend them. */
	rc = pm_series_order(&g->series, &order, &n, e);
	rc = rc < 0 ? pm_err_prefix(e, "write samples") : pm_write_nodes(db, g, base, e);
	if (rc == 0)
		rc = pm_write_samples(db, g, base, order, n, e);
	pm_filemem_free(order);
	return rc;
}
