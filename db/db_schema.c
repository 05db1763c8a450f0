/* The schema of an open database: read its version, create it in an empty database. */
#include "config.h"

#include "db/engine.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Read the first row of a query, which has at most two numbers. Returns 0 or -1 with e filled. */
static int query_numbers(struct pm_db *db, const char *sql, int64_t out[2], struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	for (int i = 0; rc > 0 && i < pm_db_columns(q); i++)
		out[i] = pm_db_int(q, i);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_db_schema_read(struct pm_db *db, struct pm_err *e)
{
	char *sql;
	int64_t n[2] = { 0, 0 };
	int rc;

	db->version = 0;
	if (asprintf(&sql,
		     "SELECT count(*), sum(CASE WHEN name = 'schema_version' THEN 1 ELSE 0 END) "
		     "FROM (%s) c",
		     db->engine->catalog) < 0)
		return pm_err(e, "out of memory");
	rc = query_numbers(db, sql, n, e);
	free(sql);
	if (rc < 0)
		return -1;
	if (n[0] == 0)
		return 0;
	errno = EINVAL;
	if (n[1] == 0)
		return pm_err(e, "not a perfmon database: it has no table schema_version");
	n[0] = 0;
	if (query_numbers(db, "SELECT max(version) FROM schema_version", n, e) < 0)
		return -1;
	if (n[0] < 1 || n[0] > INT_MAX) {
		errno = EINVAL;
		return pm_err(e, "its table schema_version is damaged");
	}
	db->version = (int)n[0];
	return 0;
}

int pm_db_schema_make(struct pm_db *db, struct pm_err *e)
{
	char *sql = NULL;
	int rc;

	if (pm_db_begin(db, e) < 0)
		return -1;
	/* The second of two processes that try at once finds the schema created. */
	rc = pm_db_lock(db, "schema", e);
	if (rc == 0)
		rc = pm_db_schema_read(db, e);
	if (rc < 0 || db->version != 0) {
		pm_db_rollback(db);
		return rc;
	}
	sql = pm_schema_text(db->engine->dialect);
	rc = sql ? pm_db_exec(db, sql, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc == 0)
		rc = pm_db_commit(db, e);
	if (rc < 0)
		pm_db_rollback(db);
	else
		db->version = PM_SCHEMA_VERSION;
	return rc;
}
