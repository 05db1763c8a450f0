/* Disk space of a database. */
#include "config.h"

#include "db/usage.h"

#include "db/engine.h"

#include <stdlib.h>
#include <string.h>

static int64_t bytes_or_unknown(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? PM_USAGE_UNKNOWN : pm_db_int(q, i);
}

/* Prepare the query of sizes; of names alone if SQLite was built without its table dbstat. */
static int prepare_parts(struct pm_db *db, struct pm_stmt **q, struct pm_err *e)
{
	char *sql;
	int rc;

	if (pm_db_prepare(db, db->engine->sizes, q, e) == 0)
		return 0;
	if (asprintf(&sql,
		     "SELECT name, kind, tbl, NULL FROM (%s) c WHERE kind IN ('table', 'index')",
		     db->engine->catalog) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, q, e);
	free(sql);
	return rc;
}

int pm_usage_parts(struct pm_db *db,
		   int (*each)(void *ctx, const struct pm_usage_part *part, struct pm_err *e),
		   void *ctx, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (prepare_parts(db, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_usage_part part = {
			.name = pm_db_text(q, 0, NULL),
			.table = pm_db_text(q, 2, NULL),
			.index = strcmp(pm_db_text(q, 1, NULL), "index") == 0,
			.bytes = bytes_or_unknown(q, 3),
		};

		if (each(ctx, &part, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

int pm_usage_has(struct pm_db *db, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	if (asprintf(&sql, "SELECT 1 FROM (%s) c WHERE name = ?", db->engine->catalog) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_str(q, 1, name);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* Run a query of one number. Returns it, or -1 with e filled. */
static int64_t query_number(struct pm_db *db, const char *sql, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	n = rc > 0 ? pm_db_int(q, 0) : rc;
	pm_db_finish(q);
	return n;
}

int64_t pm_usage_unanalyzed(struct pm_db *db, struct pm_err *e)
{
	return query_number(db, db->engine->unanalyzed, e);
}

int pm_usage_sees_all(struct pm_db *db, struct pm_err *e)
{
	return db->engine->sees_all ? (int)query_number(db, db->engine->sees_all, e) : 1;
}

int pm_usage_whole(struct pm_db *db, int64_t *bytes, int64_t *unused, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	*bytes = *unused = PM_USAGE_UNKNOWN;
	if (pm_db_prepare(db, db->engine->size, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		*bytes = bytes_or_unknown(q, 0);
		*unused = bytes_or_unknown(q, 1);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_usage_spaces(struct pm_db *db,
		    int (*each)(void *ctx, const char *name, int64_t bytes, struct pm_err *e),
		    void *ctx, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (!db->engine->spaces)
		return 1;
	if (pm_db_prepare(db, db->engine->spaces, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (each(ctx, pm_db_text(q, 0, NULL), bytes_or_unknown(q, 1), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}
