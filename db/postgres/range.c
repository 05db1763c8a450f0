/*
 * Ranges of job numbers and their partitions. A partition is dropped under an exclusive lock of its
 * table: whoever waits for such a lock stops all others that come later, even readers. So we wait
 * for a moment only. Nobody is stopped for good, since those that write rows of jobs hold a lock of
 * table job_range first, and readers are not waited for as long as the server waits before it looks
 * for a deadlock, which would end one of them.
 */
#include "config.h"

#include "db/postgres/range.h"

#include "common/memtext.h"
#include "db/postgres/statement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PQ

/* Longest wait for those that write, and for readers of the partitions' tables, ms. */
#define WRITERS_MS 2000
#define READERS_MS 700

static bool has_partition(const struct pm_schema_table *t, enum pm_schema_keep keep)
{
	return t->bulk && t->kept_with > keep;
}

/* Whether rows of the table stay for the job itself. */
static bool stays_in_part(const struct pm_schema_table *t, enum pm_schema_keep keep)
{
	return keep != PM_SCHEMA_NOTHING && strcmp(t->name, "tag_set") == 0;
}

static int range_enter(struct pm_db *head, struct pm_err *e)
{
	struct pm_pgdb *db = pm_pgdb_of(head);
	struct pm_stmt *q;
	int rc = 1;

	/* Without the right to load, a later statement fails and names its table. */
	if (db->rights == PM_PGDB_UNKNOWN) {
		if (pm_db_prepare(head,
				  "SELECT CASE WHEN has_table_privilege('job_range', 'UPDATE') "
				  "THEN 1 ELSE 0 END",
				  &q, e) < 0)
			return -1;
		rc = pm_db_step(q, e);
		if (rc > 0)
			db->rights = pm_db_int(q, 0) ? PM_PGDB_LOADS : PM_PGDB_READS;
		pm_db_finish(q);
	}
	if (rc > 0 && db->rights == PM_PGDB_LOADS)
		rc = pm_db_exec(head, "LOCK TABLE job_range IN ROW SHARE MODE", e);
	return rc < 0 ? -1 : 0;
}

/* Write the names of the tables as an array. */
static void write_tables(FILE *out, enum pm_schema_keep keep)
{
	const struct pm_schema_table *t;
	const char *before = "ARRAY[";
	size_t n;

	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++)
		if (has_partition(&t[i], keep) && !stays_in_part(&t[i], keep)) {
			fprintf(out, "%s'%s'", before, t[i].name);
			before = ", ";
		}
	fputc(']', out);
}

/* A range without a job is found when its day is over for as long as jobs are kept. */
static int range_find(struct pm_db *db, enum pm_schema_keep keep, int64_t from_us,
		      int64_t before_us, int64_t after, struct pm_db_range *range, struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	fputs("SELECT r.first_id, r.last_id, r.name FROM job_range r WHERE r.first_id > ? AND "
	      "EXISTS (SELECT 1 FROM unnest(",
	      out);
	write_tables(out, keep);
	/* Another schema may have a partition of that name, too. */
	fputs(") t JOIN pg_inherits i ON i.inhrelid = to_regclass(t || '_' || r.name) AND "
	      "i.inhparent = to_regclass(t)) AND NOT EXISTS (SELECT 1 FROM "
	      "job j WHERE j.id BETWEEN r.first_id AND r.last_id AND (" PM_SCHEMA_JOB_END(
		      "j.") " < ? OR " PM_SCHEMA_JOB_END("j.") " >= ?)) AND (EXISTS (SELECT 1 FROM "
							       "job j WHERE "
							       "j.id BETWEEN r.first_id AND "
							       "r.last_id) OR r.name < "
							       "to_char(to_timestamp(? / "
							       "1000000) AT TIME ZONE 'UTC', "
							       "'YYYY_MM_DD')) ORDER BY r.first_id "
							       "LIMIT 1",
	      out);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, &q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, after);
	pm_db_bind_int(q, 2, from_us);
	pm_db_bind_int(q, 3, before_us);
	pm_db_bind_int(q, 4, before_us);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		range->first = pm_db_int(q, 0);
		range->last = pm_db_int(q, 1);
		snprintf(range->name, sizeof range->name, "%s", pm_db_text(q, 2, NULL));
	}
	pm_db_finish(q);
	return rc;
}

/* Whether the range has a partition of a table: none of some tables where the range is one of
 * schema version 5. Returns 1, 0 or -1 with e filled. */
static int is_there(struct pm_db *db, const struct pm_schema_table *t,
		    const struct pm_db_range *range, struct pm_err *e)
{
	struct pm_stmt *q;
	char name[96];
	int rc;

	if (pm_db_prepare(db,
			  "SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass(?) AND inhparent "
			  "= to_regclass(?)",
			  &q, e) < 0)
		return -1;
	snprintf(name, sizeof name, "%s_%s", t->name, range->name);
	pm_db_bind_str(q, 1, name);
	pm_db_bind_str(q, 2, t->name);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* The statement that locks the partitions and their tables, to be freed; NULL with e filled. */
static char *lock_statement(struct pm_db *db, enum pm_schema_keep keep,
			    const struct pm_db_range *range, struct pm_err *e)
{
	const struct pm_schema_table *t;
	char *sql = NULL;
	size_t size, n;
	FILE *out = open_memstream(&sql, &size);
	const char *before = "LOCK TABLE ";

	if (!out) {
		pm_err(e, "out of memory");
		return NULL;
	}
	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++) {
		int there = has_partition(&t[i], keep) ? is_there(db, &t[i], range, e) : 0;

		if (there < 0) {
			fclose(out);
			free(sql);
			return NULL;
		}
		if (there) {
			fprintf(out, "%sONLY %s, %s_%s", before, t[i].name, t[i].name, range->name);
			before = ", ";
		}
	}
	/* Another session may have dropped them meanwhile. */
	fputs(before[0] == ',' ? " IN ACCESS EXCLUSIVE MODE" : "SELECT 1", out);
	if (!pm_memtext_end(out, &sql))
		pm_err(e, "out of memory");
	return sql;
}

/* What follows is by keys. The planner may think that a row of a job is soon found anyhow, but the
 * rows of a job are together. */
static int range_lock(struct pm_db *db, enum pm_schema_keep keep, const struct pm_db_range *range,
		      struct pm_err *e)
{
	static const char writers[] =
		"SET LOCAL perfmon.whole = 'on'; SET LOCAL enable_seqscan = off;"
		"SET LOCAL lock_timeout = %d;"
		/* Where this program is stopped, or its host lost, others need not wait for it. */
		"SET LOCAL idle_in_transaction_session_timeout = 30000;"
		"LOCK TABLE job_range IN EXCLUSIVE MODE;"
		"SELECT set_config('statement_timeout', CAST(least(%d, 7 * CAST(setting AS bigint) "
		"/ 10) AS text), true) FROM pg_settings WHERE name = 'deadlock_timeout'";
	char sql[sizeof writers + 32], *all;
	int rc;

	snprintf(sql, sizeof sql, writers, WRITERS_MS, READERS_MS);
	rc = pm_db_exec(db, sql, e);
	if (rc == 0) {
		all = lock_statement(db, keep, range, e);
		rc = all ? pm_db_exec(db, all, e) : -1;
		free(all);
	}
	if (rc == 0)
		rc = pm_db_exec(db, "SET LOCAL statement_timeout TO DEFAULT", e);
	if (rc == 0)
		return 1;
	if (db->failure != EBUSY && db->failure != ECANCELED)
		return -1;
	pm_db_failure(db);
	if (e)
		e->text[0] = '\0';
	return 0;
}

/* Delete the rows of a table that has no partition for the range alone. Returns 0 or -1. */
static int delete_rows(struct pm_db *db, const struct pm_schema_table *t, enum pm_schema_keep keep,
		       const struct pm_db_range *range, struct pm_err *e)
{
	char sql[192];

	snprintf(sql, sizeof sql, "DELETE FROM %s WHERE job_id BETWEEN %lld AND %lld%s", t->name,
		 (long long)range->first, (long long)range->last,
		 stays_in_part(t, keep) ? " AND id > 0" : "");
	return pm_db_exec(db, sql, e);
}

/* Drop a partition, or empty it but for the tags of the jobs themselves. A partition that is
 * written anew has no dead rows. Returns 0 or -1. */
static int drop_one(struct pm_db *db, const struct pm_schema_table *t, enum pm_schema_keep keep,
		    const struct pm_db_range *range, struct pm_err *e)
{
	struct pm_stmt *q;
	char sql[512];
	int rc = 0;

	if (stays_in_part(t, keep)) {
		snprintf(sql, sizeof sql, "SELECT 1 FROM %s_%s WHERE id = 0 LIMIT 1", t->name,
			 range->name);
		if (pm_db_prepare(db, sql, &q, e) < 0)
			return -1;
		rc = pm_db_step(q, e);
		pm_db_finish(q);
	}
	if (rc < 0)
		return -1;
	if (rc > 0)
		snprintf(sql, sizeof sql,
			 "CREATE TEMPORARY TABLE perfmon_kept ON COMMIT DROP AS SELECT * FROM "
			 "%1$s_%2$s WHERE id = 0; TRUNCATE %1$s_%2$s;"
			 "INSERT INTO %1$s_%2$s SELECT * FROM pg_temp.perfmon_kept",
			 t->name, range->name);
	else
		snprintf(sql, sizeof sql, "DROP TABLE %s_%s", t->name, range->name);
	return pm_db_exec(db, sql, e);
}

static int range_drop(struct pm_db *db, enum pm_schema_keep keep, const struct pm_db_range *range,
		      struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t n;

	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++) {
		int rc = has_partition(&t[i], keep) ? is_there(db, &t[i], range, e) : -2;

		if (rc == -2)
			continue;
		if (rc >= 0)
			rc = rc ? drop_one(db, &t[i], keep, range, e)
				: delete_rows(db, &t[i], keep, range, e);
		if (rc < 0)
			return pm_err_prefix(e, "table %s", t[i].name);
	}
	return 0;
}

const struct pm_db_ranges pm_pgrange = {
	.enter = range_enter,
	.find = range_find,
	.lock = range_lock,
	.drop = range_drop,
};

#endif
