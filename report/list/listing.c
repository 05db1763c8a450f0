/* The rows that `perfmon list` prints. */
#include "config.h"

#include "report/list/listing.h"

#include "common/memtext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs that are asked for first, since few rows are asked for mostly; then each time this many
 * times all so far, so that those before them are passed over a few times only. */
#define FIRST_JOBS 64
#define MORE_JOBS  4

/* Write which jobs a column of job numbers is to be of: one at a time, or those of the filter. */
static void write_jobs(FILE *sql, const struct pm_listing *l)
{
	if (l->by_job || l->ask->job)
		fputs(" = ?", sql);
	else
		fprintf(sql, " IN (SELECT id FROM job%s)", l->ask->filter->where);
}

/* Write which rows of the table, called by its own name, are asked for. */
static void write_conditions(FILE *sql, const struct pm_listing *l)
{
	const struct pm_list_ask *ask = l->ask;
	const struct pm_list_table *t = ask->table;
	const bool jobs = t->of == PM_LIST_JOBS;
	const char *key = jobs ? "id" : "job_id";

	fputs(" WHERE ", sql);
	if (jobs && !ask->job) {
		/* The jobs first, by indexes alone, then their rows, which are long. */
		fprintf(sql, "job.id IN (SELECT id FROM job%s ORDER BY %s LIMIT ? OFFSET ?)",
			ask->filter->where, ask->filter->order);
	} else if (t->of == PM_LIST_GENERAL) {
		fputs("1 = 1", sql);
	} else {
		fprintf(sql, "%s.%s", t->as, key);
		write_jobs(sql, l);
		if (l->by_part)
			fprintf(sql, " AND %s.%s = ?", t->as, t->part);
	}
	if (ask->process && *ask->process->rows && strcmp(t->as, "process") == 0)
		fprintf(sql, " AND (%s)", ask->process->rows);
	else if (ask->process && *ask->process->rows)
		fprintf(sql,
			" AND EXISTS (SELECT 1 FROM process WHERE process.job_id = %s.job_id"
			" AND process.id = %s.%s AND (%s))",
			t->as, t->as, t->process, ask->process->rows);
	/* The filter has that of jobs. */
	if (ask->where && (!jobs || ask->job))
		fprintf(sql, " AND (%s)", ask->where);
}

static char *make_sql(const struct pm_listing *l, const char *columns, bool lines)
{
	const struct pm_list_ask *ask = l->ask;
	const struct pm_list_table *t = ask->table;
	const bool jobs = t->of == PM_LIST_JOBS && !ask->job;
	char *text = NULL;
	size_t n;
	FILE *sql = open_memstream(&text, &n);

	if (!sql)
		return NULL;
	fprintf(sql, "SELECT %s FROM (SELECT * FROM (%s) %s", columns, t->rows, t->as);
	write_conditions(sql, l);
	fprintf(sql, ") r%s", lines ? t->join : "");
	if (lines && t->joined) {
		write_jobs(sql, l);
		fputs(t->joined, sql);
	}
	if (lines && t->group)
		fprintf(sql, " GROUP BY %s", t->group);
	fprintf(sql, " ORDER BY %s",
		jobs                ? ask->filter->order
		: ask->order        ? ask->order
		: lines && t->lines ? t->lines
				    : t->order);
	if (!jobs)
		fputs(" LIMIT ? OFFSET ?", sql);
	return pm_memtext_end(sql, &text);
}

int pm_listing_open(struct pm_listing *l, struct pm_db *db, const struct pm_list_ask *ask,
		    const char *columns, bool lines, struct pm_err *e)
{
	char *sql;
	int rc;

	*l = (struct pm_listing){ .db = db, .ask = ask, .left = ask->limit, .skip = ask->offset };
	l->by_job = ask->table->of == PM_LIST_OF_JOBS && (ask->job || !ask->order);
	l->by_part = l->by_job && !ask->order && ask->table->parts;
	l->first = ask->first != NULL;
	l->joined = lines && ask->table->joined;
	sql = make_sql(l, columns, lines);
	rc = sql ? pm_db_prepare(db, sql, &l->q, e) : pm_err(e, "out of memory");
	free(sql);
	return rc;
}

/* Ask for the numbers of further jobs. Returns 0, or -1 with e filled. */
static int ask_jobs(struct pm_listing *l, struct pm_err *e)
{
	const struct pm_jobfilter *f = l->first ? l->ask->first : l->ask->filter;
	char *sql;
	int rc, next;

	if (asprintf(&sql, "SELECT id FROM job%s ORDER BY %s LIMIT ? OFFSET ?", f->where,
		     f->order) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(l->db, sql, &l->jobs, e);
	free(sql);
	if (rc < 0)
		return -1;
	l->want = l->seen ? MORE_JOBS * l->seen : FIRST_JOBS;
	l->got = 0;
	next = pm_jobfilter_bind(f, l->jobs, 1);
	pm_db_bind_int(l->jobs, next, l->want);
	pm_db_bind_int(l->jobs, next + 1, l->seen);
	return 0;
}

/* All jobs that were asked for have come. */
static void end_jobs(struct pm_listing *l)
{
	const bool all = l->got < l->want;

	pm_db_finish(l->jobs);
	l->jobs = NULL;
	if (l->first)
		l->first = !all;
	else
		l->last = all;
}

/* Find the next job: what is often met is found among the first jobs, without a look at all.
 * Returns 1, 0 where there is none, or -1 with e filled. */
static int next_job(struct pm_listing *l, struct pm_err *e)
{
	int rc;

	if (l->ask->job) {
		const bool first = l->job != l->ask->job;

		l->job = l->ask->job;
		return first;
	}
	while (!l->last) {
		if (!l->jobs && ask_jobs(l, e) < 0)
			return -1;
		rc = pm_db_step(l->jobs, e);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			l->got++;
			l->seen++;
			l->job = pm_db_int(l->jobs, 0);
			return 1;
		}
		end_jobs(l);
	}
	return 0;
}

/* Find the next part of this job, or of the next one that has any. Returns 1, 0 where there is
 * none, or -1 with e filled. */
static int next_part(struct pm_listing *l, int64_t *part, struct pm_err *e)
{
	for (;;) {
		int rc;

		if (!l->parts) {
			rc = next_job(l, e);
			if (rc <= 0)
				return rc;
			if (pm_db_prepare(l->db, l->ask->table->parts, &l->parts, e) < 0)
				return -1;
			pm_db_bind_int(l->parts, 1, l->job);
		}
		rc = pm_db_step(l->parts, e);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			*part = pm_db_int(l->parts, 0);
			return 1;
		}
		pm_db_finish(l->parts);
		l->parts = NULL;
	}
}

/* Start the query for the next job, or part of it, or for all rows. Returns 1, 0 where there is no
 * more to ask, or -1 with e filled. */
static int start(struct pm_listing *l, struct pm_err *e)
{
	const struct pm_list_ask *ask = l->ask;
	const bool jobs = ask->table->of == PM_LIST_JOBS && !ask->job;
	int64_t part = 0;
	int next = 1, rc;

	if (l->by_job || ask->job) {
		rc = l->left == 0 ? 0 : l->by_part ? next_part(l, &part, e) : next_job(l, e);
		if (rc <= 0)
			return rc;
		if (l->started)
			pm_db_reset(l->q);
		if (ask->table->of != PM_LIST_GENERAL)
			pm_db_bind_int(l->q, next++, l->job);
		if (l->by_part)
			pm_db_bind_int(l->q, next++, part);
	} else if (l->started) {
		return 0;
	} else if (ask->table->of != PM_LIST_GENERAL) {
		next = pm_jobfilter_bind(ask->filter, l->q, next);
	}
	if (ask->process && !jobs)
		next = pm_parameters_bind(&ask->process->row_values, l->q, next);
	if (l->joined && (l->by_job || ask->job))
		pm_db_bind_int(l->q, next++, l->job);
	else if (l->joined)
		next = pm_jobfilter_bind(ask->filter, l->q, next);
	pm_db_bind_int(l->q, next, pm_listing_needs(l->left, l->skip));
	pm_db_bind_int(l->q, next + 1, 0);
	if (!l->by_job) {
		pm_db_bind_int(l->q, next, l->left);
		pm_db_bind_int(l->q, next + 1, l->skip);
		l->skip = 0;
	}
	l->started = true;
	return 1;
}

int pm_listing_next(struct pm_listing *l, struct pm_err *e)
{
	int rc;

	if (!l->started && (rc = start(l, e)) <= 0)
		return rc;
	for (;;) {
		rc = pm_db_step(l->q, e);
		if (rc < 0)
			return -1;
		if (rc == 0) {
			rc = start(l, e);
			if (rc <= 0)
				return rc;
		} else if (l->skip > 0) {
			l->skip--;
		} else {
			if (l->left != INT64_MAX)
				l->left--;
			return 1;
		}
	}
}

void pm_listing_close(struct pm_listing *l)
{
	pm_db_finish(l->parts);
	pm_db_finish(l->jobs);
	pm_db_finish(l->q);
	l->parts = l->jobs = l->q = NULL;
}
