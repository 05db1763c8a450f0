/* Delete jobs from a database. */
#include "config.h"

#include "db/erase.h"

#include "db/engine.h"

#include <stdio.h>
#include <string.h>

/* Delete a job's rows, table by table, children before parents: else ON DELETE CASCADE would look
 * for the children of each row, one by one. */
static int delete_rows(struct pm_db *db, int64_t job, enum pm_schema_keep keep, struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t n;

	t = pm_schema_tables(&n);
	while (n-- > 0) {
		char sql[256];

		if (pm_schema_index(&t[n], "job_id") < 0 || t[n].kept_with <= keep)
			continue;
		snprintf(sql, sizeof sql, "DELETE FROM %s WHERE job_id = ?%s", t[n].name,
			 /* Set 0 has the tags of the job itself. */
			 keep && strcmp(t[n].name, "tag_set") == 0 ? " AND id > 0" : "");
		if (pm_db_run_about(db, sql, job, e) < 0)
			return pm_err_prefix(e, "table %s", t[n].name);
	}
	return 0;
}

int pm_erase_note(struct pm_db *db, int64_t job, const char *note, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "UPDATE job SET problems = CASE WHEN problems IS NULL THEN '' ELSE "
			  "problems || '; ' END || ? WHERE id = ? AND coalesce(problems, '') NOT "
			  "LIKE '%' || ? || '%'",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, note);
	pm_db_bind_int(q, 2, job);
	pm_db_bind_str(q, 3, note);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_erase_noted(struct pm_db *db, int64_t job, const char *note, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT 1 FROM job WHERE id = ? AND coalesce(problems, '') LIKE '%' || ? "
			  "|| '%'",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_str(q, 2, note);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* Keep others from changing a job's row. Returns 1, 0 if there is no such job, or -1 with e filled.
 */
static int lock_row(struct pm_db *db, int64_t job, struct pm_err *e)
{
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT id FROM job WHERE id = ?%s", pm_db_lock_rows(db, false));
	return pm_db_run_about(db, sql, job, e);
}

int pm_erase_lock(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT jobid, array_task FROM job WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_lock_job(db, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL), e) < 0)
		rc = -1;
	pm_db_finish(q);
	/* Those that do not know the job's name, such as analyze, lock its row. */
	return rc > 0 ? lock_row(db, job, e) : rc;
}

int pm_erase_job(struct pm_db *db, int64_t job, struct pm_userdays *days, struct pm_err *e)
{
	int rc = pm_erase_lock(db, job, e);

	if (rc <= 0)
		return rc;
	if (pm_userdays_note(days, db, job, -1, e) < 0 ||
	    delete_rows(db, job, PM_SCHEMA_NOTHING, e) < 0)
		return -1;
	return pm_db_run_about(db, "DELETE FROM job WHERE id = ?", job, e) < 0 ? -1 : 1;
}

int pm_erase_detail(struct pm_db *db, int64_t job, enum pm_schema_keep keep, struct pm_err *e)
{
	int rc = pm_erase_lock(db, job, e);

	if (rc <= 0)
		return rc;
	return delete_rows(db, job, keep, e) < 0 ? -1 : 1;
}

/* Delete all rows but those that a new database has, inside the transaction. */
static int empty_tables(struct pm_db *db, struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t n;

	t = pm_schema_tables(&n);
	while (n-- > 0) {
		char sql[128];

		if (strcmp(t[n].name, "schema_version") == 0 || strcmp(t[n].name, "metric") == 0)
			continue;
		snprintf(sql, sizeof sql, "DELETE FROM %s", t[n].name);
		if (pm_db_exec(db, sql, e) < 0)
			return pm_err_prefix(e, "table %s", t[n].name);
	}
	return 0;
}

int pm_erase_all(struct pm_db *db, struct pm_err *e)
{
	int rc;

	/* Do not look for the children of each row. */
	if (db->engine->references(db, false, e) < 0)
		return -1;
	rc = pm_db_begin(db, e);
	if (rc == 0) {
		rc = empty_tables(db, e);
		if (rc == 0)
			rc = pm_db_commit(db, e);
		if (rc < 0)
			pm_db_rollback(db);
	}
	return db->engine->references(db, true, rc < 0 ? NULL : e) < 0 ? -1 : rc;
}
