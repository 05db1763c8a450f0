/* Operations on an open database: dispatch to its engine. */
#include "config.h"

#include "db/db.h"

#include "db/engine.h"

#include "common/now.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

void pm_db_close(struct pm_db *db)
{
	if (db)
		db->engine->close(db);
}

bool pm_db_has_zones(const struct pm_db *db)
{
	return db->engine->dialect == PM_DIALECT_SQLITE;
}

const char *pm_db_name(const struct pm_db *db)
{
	return db->name;
}

bool pm_db_is_memory(const struct pm_db *db)
{
	return strcmp(db->name, ":memory:") == 0;
}

int pm_db_exec(struct pm_db *db, const char *sql, struct pm_err *e)
{
	return db->engine->exec(db, sql, e);
}

/* Explain the end of a guarded statement that exceeded its time. Returns rc. */
static int guarded_result(struct pm_db *db, int rc, struct pm_err *e)
{
	if (rc < 0 && db->guard_us && (db->failure == ETIME || db->failure == ECANCELED)) {
		db->failure = ETIME;
		pm_err(e,
		       "stopped after %g s, the limit of the setting statement_timeout: ask for "
		       "fewer jobs, or allow more time",
		       (double)db->limit_ms / 1000);
	}
	return rc;
}

int pm_db_prepare(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e)
{
	return guarded_result(db, db->engine->prepare(db, sql, out, e), e);
}

int pm_db_prepare_id(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e)
{
	char *text;
	int rc;

	if (asprintf(&text, "%s%s", sql, db->engine->returning) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, text, out, e);
	free(text);
	return rc;
}

int64_t pm_db_run_id(struct pm_stmt *q, struct pm_err *e)
{
	return pm_db_step(q, e) < 0 ? -1 : q->engine->inserted(q);
}

int pm_db_insert(struct pm_db *db, const char *table, bool first, struct pm_stmt **out,
		 struct pm_err *e)
{
	const struct pm_schema_table *t = pm_schema_find(table);
	char *sql;
	int rc;

	if (db->engine->insert)
		return db->engine->insert(db, t, first, out, e);
	sql = pm_schema_insert(t, first);
	rc = sql ? pm_db_prepare(db, sql, out, e) : pm_err(e, "out of memory");
	free(sql);
	return rc;
}

void pm_db_bind_int(struct pm_stmt *q, int i, int64_t v)
{
	q->engine->bind_int(q, i, v);
}

void pm_db_bind_real(struct pm_stmt *q, int i, double v)
{
	q->engine->bind_real(q, i, v);
}

void pm_db_bind_text(struct pm_stmt *q, int i, const char *p, size_t n)
{
	q->engine->bind_text(q, i, p, n);
}

void pm_db_bind_str(struct pm_stmt *q, int i, const char *text)
{
	if (text)
		q->engine->bind_text(q, i, text, strlen(text));
	else
		q->engine->bind_null(q, i);
}

void pm_db_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n)
{
	q->engine->bind_blob(q, i, p, n);
}

int pm_db_step(struct pm_stmt *q, struct pm_err *e)
{
	struct pm_db *db = q->db;

	if (db->guard_us && pm_now_monotonic_us() > db->guard_us) {
		db->failure = ETIME;
		return guarded_result(db, -1, e);
	}
	return guarded_result(db, q->engine->step(q, e), e);
}

int pm_db_guard(struct pm_db *db, int64_t limit_ms, struct pm_err *e)
{
	if (db->engine->guard(db, limit_ms, e) < 0)
		return -1;
	db->guarded = true;
	db->limit_ms = limit_ms;
	db->guard_us = limit_ms ? pm_now_monotonic_us() + 1000 * limit_ms : 0;
	return 0;
}

void pm_db_unguard(struct pm_db *db)
{
	if (db->guarded)
		db->engine->unguard(db);
	db->guarded = false;
	db->guard_us = 0;
}

void pm_db_until(struct pm_db *db, int64_t cpu_us)
{
	db->until_us = cpu_us == INT64_MAX ? 0 : cpu_us;
}

/* Whether the time limit has passed (pm_db_until). Only every 256th call reads the clock. */
static bool is_late(struct pm_db *db)
{
	if (!db->until_us || db->runs++ % 256 || pm_now_cpu_us() <= db->until_us)
		return false;
	if (!db->failure)
		db->failure = ETIME;
	return true;
}

int pm_db_run(struct pm_stmt *q, struct pm_err *e)
{
	int rc = is_late(q->db) ? pm_err(e, "the time limit is exceeded") : q->engine->step(q, e);

	q->engine->reset(q);
	return rc < 0 ? -1 : 0;
}

int pm_db_run_about(struct pm_db *db, const char *sql, int64_t number, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, number);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

void pm_db_reset(struct pm_stmt *q)
{
	q->engine->reset(q);
}

void pm_db_finish(struct pm_stmt *q)
{
	if (q)
		q->engine->finish(q);
}

int pm_db_columns(struct pm_stmt *q)
{
	return q->engine->columns(q);
}

const char *pm_db_column_name(struct pm_stmt *q, int i)
{
	return q->engine->column_name(q, i);
}

enum pm_db_type pm_db_type(struct pm_stmt *q, int i)
{
	return q->engine->type(q, i);
}

bool pm_db_is_null(struct pm_stmt *q, int i)
{
	return q->engine->type(q, i) == PM_DB_NULL;
}

int64_t pm_db_int(struct pm_stmt *q, int i)
{
	return q->engine->get_int(q, i);
}

double pm_db_real(struct pm_stmt *q, int i)
{
	return q->engine->get_real(q, i);
}

const char *pm_db_text(struct pm_stmt *q, int i, size_t *n)
{
	return q->engine->get_text(q, i, n);
}

const void *pm_db_blob(struct pm_stmt *q, int i, size_t *n)
{
	return q->engine->get_blob(q, i, n);
}

int pm_db_begin(struct pm_db *db, struct pm_err *e)
{
	return db->engine->begin(db, e);
}

int pm_db_begin_large(struct pm_db *db, struct pm_err *e)
{
	if (db->engine->large)
		db->engine->large(db);
	return pm_db_begin(db, e);
}

int pm_db_commit(struct pm_db *db, struct pm_err *e)
{
	return db->engine->commit(db, e);
}

void pm_db_rollback(struct pm_db *db)
{
	db->engine->rollback(db);
}

int pm_db_lock(struct pm_db *db, const char *name, struct pm_err *e)
{
	return db->engine->lock ? db->engine->lock(db, name, e) : 0;
}

const char *pm_db_lock_rows(const struct pm_db *db, bool pass)
{
	const char *words = db->engine->lock_rows[pass];

	return words ? words : "";
}

int pm_db_lock_job(struct pm_db *db, const char *jobid, const char *array_task, struct pm_err *e)
{
	const struct pm_db_ranges *ranges = db->engine->ranges;
	char *name;
	int rc;

	if (ranges && ranges->enter(db, e) < 0)
		return -1;
	/* Records without metadata have the two as one id. */
	if (asprintf(&name, "job %s%s%s", jobid, array_task[0] ? "_" : "", array_task) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_lock(db, name, e);
	free(name);
	return rc;
}

int pm_db_compact(struct pm_db *db, struct pm_err *e)
{
	return db->engine->compact(db, e);
}

int pm_db_failure(struct pm_db *db)
{
	int failure = db->failure;

	db->failure = 0;
	return failure;
}
