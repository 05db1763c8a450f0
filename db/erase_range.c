/*
 * Erase the jobs of a range of numbers at once. Loads, and whoever else writes rows of jobs, wait
 * meanwhile; so a transaction has one range, and gives up where it would have to wait.
 */
#include "config.h"

#include "db/erase.h"

#include "common/log.h"
#include "common/memtext.h"
#include "db/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many ranges may be locked by others before the rest is left as well. */
#define BUSY_MAX 3

#define IN_TIME PM_SCHEMA_JOB_END("j.") " >= ? AND " PM_SCHEMA_JOB_END("j.") " < ?"

/* The begin of the query that counts the jobs that are not to be retired. */
#define COUNT(condition)                                                                           \
	"SELECT coalesce(sum(CASE WHEN " condition " THEN 0 ELSE 1 END), 0), coalesce(sum(CASE "   \
	"WHEN "

/* Write the condition of which jobs j have rows to erase. The numbers again as constants: so the
 * server looks into one partition of a table. */
static void write_has(FILE *out, enum pm_schema_keep keep, const struct pm_db_range *range)
{
	const struct pm_schema_table *t;
	const char *before = "(";
	size_t n;

	if (keep == PM_SCHEMA_NOTHING) {
		fputs("1 = 1", out);
		return;
	}
	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++) {
		if (!t[i].bulk || t[i].kept_with <= keep)
			continue;
		fprintf(out,
			"%s(SELECT 1 FROM %s x WHERE x.job_id = j.id AND x.job_id BETWEEN %" PRId64
			" AND %" PRId64 "%s LIMIT 1) = 1",
			before, t[i].name, range->first, range->last,
			/* Set 0 has the tags of the job itself. */
			strcmp(t[i].name, "tag_set") == 0 ? " AND x.id > 0" : "");
		before = " OR ";
	}
	fputc(')', out);
}

/* Prepare a statement: `begin`, the condition, `middle`, the condition again, `end`; any but the
 * first may be NULL. Returns 0 or -1 with e filled. */
static int prepare_about(struct pm_db *db, const struct pm_erase_ranges *r,
			 const struct pm_db_range *range, const char *begin, const char *middle,
			 const char *end, struct pm_stmt **q, struct pm_err *e)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	fputs(begin, out);
	write_has(out, r->keep, range);
	fputs(middle, out);
	if (end) {
		write_has(out, r->keep, range);
		fputs(end, out);
	}
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, q, e) : pm_err(e, "out of memory");
	free(sql);
	return rc;
}

/* Count the jobs that have something to erase. Returns 1, 0 if a job is not to be retired, or -1
 * with e filled. */
static int count_jobs(struct pm_db *db, struct pm_erase_ranges *r, const struct pm_db_range *range,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	/* A job of a model keeps its row. */
	if (prepare_about(db, r, range,
			  r->keep ? COUNT(IN_TIME)
				  : COUNT(IN_TIME " AND NOT " PM_SCHEMA_JOB_IN_MODEL),
			  " THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN ",
			  " THEN coalesce(j.processes, 0) ELSE 0 END), 0) FROM job j WHERE j.id "
			  "BETWEEN ? AND ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->from_us);
	pm_db_bind_int(q, 2, r->before_us);
	pm_db_bind_int(q, 3, range->first);
	pm_db_bind_int(q, 4, range->last);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		rc = pm_db_int(q, 0) == 0;
		r->jobs = pm_db_int(q, 1);
		r->processes = pm_db_int(q, 2);
	}
	pm_db_finish(q);
	return rc;
}

/* Note in the jobs that rows of them are gone, as pm_erase_note() does. Returns 0 or -1 with e
 * filled. */
static int note_jobs(struct pm_db *db, const struct pm_erase_ranges *r,
		     const struct pm_db_range *range, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (prepare_about(db, r, range,
			  "UPDATE job AS j SET problems = CASE WHEN problems IS NULL THEN '' ELSE "
			  "problems || '; ' END || ? WHERE id BETWEEN ? AND ? AND "
			  "coalesce(problems, '') NOT LIKE '%' || ? || '%' AND ",
			  "", NULL, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, r->note);
	pm_db_bind_int(q, 2, range->first);
	pm_db_bind_int(q, 3, range->last);
	pm_db_bind_str(q, 4, r->note);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Delete the jobs' rows of a table. Returns 0 or -1 with e filled. */
static int delete_from(struct pm_db *db, const char *table, const char *key,
		       const struct pm_db_range *range, struct pm_err *e)
{
	struct pm_stmt *q;
	char sql[128];
	int rc;

	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s BETWEEN ? AND ?", table, key);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, range->first);
	pm_db_bind_int(q, 2, range->last);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "table %s", table) : 0;
}

/* Delete the jobs with their rows of all tables but the partitioned ones, children before parents.
 * Returns 0 or -1 with e filled. */
static int delete_jobs(struct pm_db *db, const struct pm_db_range *range, struct pm_userdays *days,
		       struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t n;

	if (pm_userdays_note_range(days, db, range->first, range->last, e) < 0)
		return -1;
	t = pm_schema_tables(&n);
	while (n-- > 0)
		if (!t[n].bulk && pm_schema_index(&t[n], "job_id") >= 0 &&
		    delete_from(db, t[n].name, "job_id", range, e) < 0)
			return -1;
	return delete_from(db, "job", "id", range, e);
}

/* Erase a range, inside the transaction. Returns 1, 0 if it is to be left, or -1 with e filled. */
static int erase_range(struct pm_db *db, struct pm_erase_ranges *r, const struct pm_db_range *range,
		       struct pm_userdays *days, struct pm_err *e)
{
	const struct pm_db_ranges *ranges = db->engine->ranges;
	int rc = ranges->lock(db, r->keep, range, e);

	if (rc == 0)
		r->busy++;
	if (rc > 0)
		rc = count_jobs(db, r, range, e);
	if (rc <= 0)
		return rc;
	if ((r->keep ? note_jobs(db, r, range, e) : delete_jobs(db, range, days, e)) < 0 ||
	    ranges->drop(db, r->keep, range, e) < 0 || pm_userdays_apply(days, db, e) < 0)
		return -1;
	return 1;
}

/* Erase a range in a transaction. Returns the same as erase_range(). */
static int try_range(struct pm_db *db, struct pm_erase_ranges *r, const struct pm_db_range *range,
		     struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	int rc, failure;

	if (pm_db_begin(db, e) < 0)
		return -1;
	pm_db_failure(db);
	rc = erase_range(db, r, range, &days, e);
	if (rc > 0 && pm_db_commit(db, e) < 0)
		rc = -1;
	pm_userdays_free(&days);
	if (rc > 0)
		return 1;
	failure = pm_db_failure(db);
	pm_db_rollback(db);
	if (rc == 0)
		return 0;
	pm_err_prefix(e, "jobs #%lld to #%lld", (long long)range->first, (long long)range->last);
	if (failure != EBUSY && failure != ENOTEMPTY)
		return -1;
	if (failure == EBUSY) /* a job's row is locked */
		r->busy++;
	else
		pm_warn("%s: they are deleted row by row", e->text);
	e->text[0] = '\0';
	return 0;
}

int pm_erase_range(struct pm_db *db, struct pm_erase_ranges *r, struct pm_err *e)
{
	const struct pm_db_ranges *ranges = db->engine->ranges;
	struct pm_db_range range;
	int rc;

	while (ranges && r->busy < BUSY_MAX) {
		rc = ranges->find(db, r->keep, r->from_us, r->before_us, r->after, &range, e);
		if (rc <= 0)
			return rc;
		r->after = range.first;
		rc = try_range(db, r, &range, e);
		if (rc < 0 || (rc > 0 && r->jobs > 0))
			return rc;
	}
	return 0;
}
