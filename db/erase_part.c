/*
 * Delete a large job part by part, so that no other writer waits for long. The content of files,
 * which late files would be merged with, goes first; child rows go before their parents.
 */
#include "config.h"

#include "db/erase.h"

#include "common/now.h"
#include "sql/schema.h"

#include <stdint.h>
#include <stdio.h>

/* Tables that may hold more rows of a job than one statement should delete. */
static const struct part {
	const char *table;
	const char *key;  /* first column of the primary key after job_id */
	const char *more; /* the next column if many rows share a key, else NULL */
	int64_t step;     /* values of `more`, else of `key`, that one statement deletes */
} parts[] = {
	{ "content", "load_id", NULL, 16 },
	{ "counter", "process_id", NULL, 2500 },
	{ "thread_row", "process_id", NULL, 2500 },
	{ "tag_summary", "tag_set", NULL, 1000 },
	{ "process", "id", NULL, 10000 },
	/* Set 0, the tags of the job itself, stays here. */
	{ "tag_set", "id", NULL, 10000 },
	{ "sample_block", "series_id", "id", 10000 },
	{ "tick_block", "id", NULL, 1000 },
	{ "reject", "id", NULL, 1000 },
};

/* Progress in a part: rows from these values of `key` and `more` on are deleted. */
struct place {
	struct pm_db *db;
	const struct part *part;
	int64_t job, key, more;
};

/* Run a statement whose parameters are the job and two bounds. Returns 1 with *out, 0 without a
 * value, or -1 with e filled. */
static int run_bounded(const struct place *p, const char *sql, int64_t a, int64_t b, int64_t *out,
		       struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(p->db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, p->job);
	pm_db_bind_int(q, 2, a);
	pm_db_bind_int(q, 3, b);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_is_null(q, 0))
		rc = 0;
	if (rc > 0)
		*out = pm_db_int(q, 0);
	pm_db_finish(q);
	return rc;
}

/* Delete some rows of the current key, by the next column. Returns the same as delete_some(). */
static int delete_more(struct place *p, struct pm_err *e)
{
	const struct part *t = p->part;
	char sql[160];
	int64_t top;
	int rc;

	snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s WHERE job_id = ? AND %s = ? AND %s < ?",
		 t->more, t->table, t->key, t->more);
	rc = run_bounded(p, sql, p->key, p->more, &top, e);
	if (rc <= 0)
		return rc;
	p->more = top > INT64_MIN + t->step ? top - t->step + 1 : INT64_MIN;
	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE job_id = ? AND %s = ? AND %s >= ?",
		 t->table, t->key, t->more);
	return run_bounded(p, sql, p->key, p->more, NULL, e) < 0 ? -1 : 1;
}

/* Delete some rows, from the highest keys down. Returns 1; 0 if there are none; -1 with e filled.
 * Counting or sorting rows would take as long as deleting them, each time. */
static int delete_some(struct place *p, struct pm_err *e)
{
	const struct part *t = p->part;
	char sql[160];
	int64_t top;
	int rc = t->more && p->key < INT64_MAX ? delete_more(p, e) : 0;

	if (rc != 0)
		return rc;
	snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s WHERE job_id = ? AND %s > ? AND %s < ?",
		 t->key, t->table, t->key, t->key);
	rc = run_bounded(p, sql, 0, p->key, &top, e);
	if (rc <= 0)
		return rc;
	p->key = top;
	p->more = INT64_MAX;
	if (t->more)
		return delete_more(p, e);
	p->key = top > t->step ? top - t->step + 1 : 1;
	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE job_id = ? AND %s >= ? AND %s <= ?",
		 t->table, t->key, t->key);
	return run_bounded(p, sql, p->key, top, NULL, e) < 0 ? -1 : 1;
}

int pm_erase_part(struct pm_db *db, int64_t job, enum pm_schema_keep keep, int64_t until_us,
		  struct pm_userdays *days, struct pm_err *e)
{
	int rc = pm_erase_lock(db, job, e);

	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		struct place p = { db, &parts[i], job, INT64_MAX, INT64_MAX };

		if (pm_schema_find(parts[i].table)->kept_with <= keep)
			continue;
		/* Behind the lowest key no row of the table is left, and perhaps none of the job
		 * by which another call would find it. */
		while ((rc = delete_some(&p, e)) > 0)
			if (pm_now_monotonic_us() >= until_us && (p.part->more || p.key > 1))
				return 2;
		if (rc < 0)
			return pm_err_prefix(e, "table %s", parts[i].table);
	}
	return keep ? pm_erase_detail(db, job, keep, e) : pm_erase_job(db, job, days, e);
}
