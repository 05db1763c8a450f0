/*
 * Table job_zone tells of each zone of jobs how large a figure is there at least and at most
 * (sql/jobzones.c); the bounds hold, but need not be reached. n jobs of the n most promising zones
 * are found first. None that comes before the last of these is in a zone whose bound is behind it,
 * so that few zones are left to be read. Equal figures are ordered by the number of the job, and
 * so are the zones.
 */
#include "config.h"

#include "analysis/select/jobtop.h"

#include "common/memtext.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More are not worth it. */
#define MOST 1000

#define OF_ZONE                                                                                    \
	"job.id BETWEEN z.zone * " PM_SCHEMA_JOB_ZONE " AND (z.zone + 1) * " PM_SCHEMA_JOB_ZONE    \
	" - 1"

/* A job, as it stands in the order. */
struct place {
	char figure[40]; /* as SQL; NULL where it is unknown, which is less than any */
	bool known;
	int64_t id;
};

/* Find the n-th job of the n most promising zones. Returns 1, 0 where there are fewer, or -1 with e
 * filled. */
static int find_place(struct pm_db *db, const char *figure, bool falls, int64_t n, struct place *p,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t seen = 0;
	char *sql;
	int rc;

	rc = asprintf(&sql,
		      "SELECT job.%1$s, job.id FROM (SELECT zone FROM job_zone ORDER BY %2$s_%1$s "
		      "%3$s, zone %3$s LIMIT ?) z CROSS JOIN job ON " OF_ZONE
		      " ORDER BY job.%1$s %3$s, job.id %3$s LIMIT ?",
		      figure, falls ? "most" : "least", falls ? "DESC" : "ASC");
	if (rc < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, n);
	pm_db_bind_int(q, 2, n);
	while ((rc = pm_db_step(q, e)) > 0) {
		seen++;
		p->known = !pm_db_is_null(q, 0);
		p->id = pm_db_int(q, 1);
		if (pm_db_type(q, 0) == PM_DB_REAL)
			snprintf(p->figure, sizeof p->figure, "%.17g", pm_db_real(q, 0));
		else
			snprintf(p->figure, sizeof p->figure, "%" PRId64, pm_db_int(q, 0));
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : seen == n;
}

/* Write the condition that a job, or one of a zone, may come before a place or be at it. bound: its
 * figure, or that of the zone; number: its own, or the zone's. */
static void write_before(FILE *sql, const char *bound, const char *number, bool falls,
			 const struct place *p, const char *of_place)
{
	if (!p->known && falls)
		fprintf(sql, "(%s IS NOT NULL OR %s >= %s)", bound, number, of_place);
	else if (!p->known)
		fprintf(sql, "(%s IS NULL AND %s <= %s)", bound, number, of_place);
	else if (falls)
		fprintf(sql, "(%1$s > %2$s OR (%1$s = %2$s AND %3$s >= %4$s))", bound, p->figure,
			number, of_place);
	else
		fprintf(sql, "(%1$s IS NULL OR %1$s < %2$s OR (%1$s = %2$s AND %3$s <= %4$s))",
			bound, p->figure, number, of_place);
}

int pm_jobtop_narrow(struct pm_jobfilter *f, struct pm_db *db, int64_t n, struct pm_err *e)
{
	const char *figure;
	char bound[64], own[64], place[64], *text = NULL;
	struct place p;
	bool falls;
	size_t size;
	FILE *sql;
	int rc;

	figure = pm_joborder_figure(f->order, &falls);
	if (!figure || *f->where || n <= 0 || n > MOST || !pm_db_has_zones(db))
		return 0;
	rc = find_place(db, figure, falls, n, &p, e);
	if (rc <= 0)
		return rc;
	sql = open_memstream(&text, &size);
	if (!sql)
		return pm_err(e, "out of memory");
	snprintf(bound, sizeof bound, "z.%s_%s", falls ? "most" : "least", figure);
	snprintf(own, sizeof own, "job.%s", figure);
	fputs("job.id IN (SELECT job.id FROM job_zone z CROSS JOIN job ON " OF_ZONE " WHERE ", sql);
	snprintf(place, sizeof place, "%" PRId64 " / " PM_SCHEMA_JOB_ZONE, p.id);
	write_before(sql, bound, "z.zone", falls, &p, place);
	fputs(" AND ", sql);
	snprintf(place, sizeof place, "%" PRId64, p.id);
	write_before(sql, own, "job.id", falls, &p, place);
	fputc(')', sql);
	rc = pm_memtext_end(sql, &text) ? pm_jobfilter_add(f, text, NULL, e)
					: pm_err(e, "out of memory");
	free(text);
	return rc;
}
