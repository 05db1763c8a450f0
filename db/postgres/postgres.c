/* The PostgreSQL engine: connections and transactions. Rows of pm_db_insert are buffered per table
 * and sent by COPY. */
#include "config.h"

#include "db/engine.h"

#include "db/postgres/catalog.h"
#include "db/postgres/lock.h"
#include "db/postgres/range.h"
#include "db/postgres/statement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pm_postgres_is(const char *setting)
{
	size_t n = setting ? strcspn(setting, "+:") : 0;

	return n > 0 && setting[n + strcspn(setting + n, ":")] == ':' &&
	       ((n == strlen("postgresql") && strncmp(setting, "postgresql", n) == 0) ||
		(n == strlen("postgres") && strncmp(setting, "postgres", n) == 0));
}

#ifdef HAVE_PQ

/* Longest wait for a lock, ms. */
#define LOCK_MS      600000
#define LOCK_SOON_MS 3000

static int lock_ms(const struct pm_pgdb *db)
{
	return db->mode == PM_DB_WRITE_SOON ? LOCK_SOON_MS : LOCK_MS;
}

static int pg_exec(struct pm_db *head, const char *sql, struct pm_err *e)
{
	struct pm_pgdb *db = pm_pgdb_of(head);

	return pm_pgstatement_settle(db, e) < 0
		       ? -1
		       : pm_pgstatement_failure(db, pm_pgwire_command(db->wire, sql, NULL, e));
}

/*
 * Begin the transaction of a reader. All statements read one snapshot, so no load comes between
 * them. A partition that is dropped is gone for every snapshot, so keep retire from dropping any:
 * it drops one of these tables at least, and LOCK takes no snapshot. A database that has no such
 * tables, or not for this user, is read without.
 */
static int begin_reading(struct pm_pgdb *db, struct pm_err *e)
{
	static const char lock[] = "LOCK TABLE ONLY process, ONLY program_summary, ONLY tag_set "
				   "IN ACCESS SHARE MODE";

	if (pm_pgwire_command(db->wire,
			      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT perfmon",
			      NULL, e) < 0)
		return -1;
	return pm_pgwire_command(db->wire, lock, NULL, NULL) < 0
		       ? pm_pgwire_command(db->wire, "ROLLBACK TO SAVEPOINT perfmon", NULL, e)
		       : 0;
}

/* Whether all statements of the connection are in one transaction that reads: begin_reading(). */
static bool reads_only(const struct pm_pgdb *db)
{
	return db->mode == PM_DB_READ || db->mode == PM_DB_LOOK;
}

/* Settings of every connection, whatever the site's defaults are. */
static int set_up(struct pm_pgdb *db, struct pm_err *e)
{
	static const char always[] =
		"SET client_min_messages = warning; SET standard_conforming_strings = on;"
		"SET bytea_output = hex; SET extra_float_digits = 1; SET jit = off;"
		"SET idle_in_transaction_session_timeout = 0; SET lock_timeout = ";
	/* Commits wait for the server's disk, even if the site's default is not to wait. */
	static const char sure[] =
		"DO $$ BEGIN IF current_setting('synchronous_commit') = 'off' THEN "
		"PERFORM set_config('synchronous_commit', 'on', false); END IF; END $$";
	char sql[sizeof always + 16];

	snprintf(sql, sizeof sql, "%s%d", always, lock_ms(db));
	if (pm_pgwire_fits(db->wire, e) < 0 || pm_pgwire_command(db->wire, sql, NULL, e) < 0)
		return -1;
	if ((db->mode == PM_DB_WRITE_SURE || db->mode == PM_DB_WRITE_SOON) &&
	    pm_pgwire_command(db->wire, sure, NULL, e) < 0)
		return -1;
	return reads_only(db) ? begin_reading(db, e) : 0;
}

static int pg_begin(struct pm_db *head, struct pm_err *e)
{
	struct pm_pgdb *db = pm_pgdb_of(head);

	if (pm_pgwire_lost(db->wire)) {
		pm_pgprepared_forget(&db->known);
		if (pm_pgstatement_failure(db, pm_pgwire_again(db->wire, e)) < 0 ||
		    pm_pgstatement_failure(db, set_up(db, e)) < 0)
			return -1;
	}
	return pg_exec(head, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", e);
}

static int pg_references(struct pm_db *db, bool follow, struct pm_err *e)
{
	(void)db;
	(void)follow;
	(void)e;
	return 0;
}

/* Without FULL, which locks all others out: free pages at the end of a table go back to the file
 * system, the others to later loads. */
static int pg_compact(struct pm_db *db, struct pm_err *e)
{
	return pg_exec(db, "VACUUM", e);
}

static int pg_commit(struct pm_db *head, struct pm_err *e)
{
	struct pm_pgdb *db = pm_pgdb_of(head);
	char done[16];

	if (pm_pgstatement_settle(db, e) < 0)
		return -1;
	if (pm_pgstatement_failure(db, pm_pgwire_command(db->wire, "COMMIT", done, e)) < 0)
		return -1;
	/* COMMIT of a failed transaction is answered with ROLLBACK, without an error. */
	if (strcmp(done, "COMMIT") == 0)
		return 0;
	errno = EIO;
	return pm_pgstatement_failure(db,
				      pm_err(e, "the transaction had failed: nothing was written"));
}

static void pg_rollback(struct pm_db *head)
{
	struct pm_pgdb *db = pm_pgdb_of(head);
	int failure = head->failure;

	pm_pgstatement_park(db, NULL);
	pm_copyin_drop(db->bulk);
	pm_pgwire_command(db->wire, "ROLLBACK", NULL, NULL);
	head->failure = failure;
}

static int pg_lock(struct pm_db *head, const char *name, struct pm_err *e)
{
	return pm_pglock_take(head, name, lock_ms(pm_pgdb_of(head)), e);
}

static int pg_guard(struct pm_db *head, int64_t limit_ms, struct pm_err *e)
{
	char sql[96];

	snprintf(sql, sizeof sql, "%sSET LOCAL statement_timeout = %lld",
		 reads_only(pm_pgdb_of(head)) ? "" : "BEGIN READ ONLY; ", (long long)limit_ms);
	return pg_exec(head, sql, e);
}

static void pg_unguard(struct pm_db *head)
{
	if (reads_only(pm_pgdb_of(head)))
		pg_exec(head, "RESET statement_timeout", NULL);
	else
		pg_rollback(head);
}

static void pg_close(struct pm_db *head)
{
	struct pm_pgdb *db = pm_pgdb_of(head);

	pm_pgprepared_free(&db->known);
	pm_copyin_free(db->bulk);
	if (db->wire)
		pm_pgwire_close(db->wire);
	free(head->name);
	free(db);
}

static const struct pm_db_engine engine = {
	.dialect = PM_DIALECT_POSTGRESQL,
	.catalog = pm_pgcatalog_parts,
	.sizes = pm_pgcatalog_sizes,
	.size = pm_pgcatalog_size,
	.spaces = pm_pgcatalog_spaces,
	.unanalyzed = pm_pgcatalog_unanalyzed,
	.sees_all = pm_pgcatalog_sees_all,
	.close = pg_close,
	.exec = pg_exec,
	.prepare = pm_pgstatement_prepare,
	.returning = " RETURNING id",
	.inserted = pm_pgstatement_inserted,
	.insert = pm_pgstatement_insert,
	.begin = pg_begin,
	.references = pg_references,
	.compact = pg_compact,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.lock = pg_lock,
	.lock_rows = { " FOR NO KEY UPDATE", " FOR NO KEY UPDATE SKIP LOCKED" },
	.guard = pg_guard,
	.unguard = pg_unguard,
	.ranges = &pm_pgrange,
	.bind_int = pm_pgstatement_bind_int,
	.bind_real = pm_pgstatement_bind_real,
	.bind_text = pm_pgstatement_bind_text,
	.bind_blob = pm_pgstatement_bind_blob,
	.bind_null = pm_pgstatement_bind_null,
	.step = pm_pgstatement_step,
	.reset = pm_pgstatement_reset,
	.finish = pm_pgstatement_finish,
	.columns = pm_pgstatement_columns,
	.column_name = pm_pgstatement_column_name,
	.type = pm_pgstatement_type,
	.get_int = pm_pgstatement_int,
	.get_real = pm_pgstatement_real,
	.get_text = pm_pgstatement_text,
	.get_blob = pm_pgstatement_blob,
};

int pm_postgres_check(const char *url, struct pm_err *e)
{
	char *name;

	errno = 0;
	name = pm_pgwire_name(url, e);
	if (!name && errno == EINVAL)
		return -1;
	free(name);
	return 0;
}

int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e)
{
	char *name = pm_pgwire_name(url, e);
	struct pm_pgdb *db;
	int saved;

	if (!name)
		return -1;
	db = calloc(1, sizeof *db);
	if (!db) {
		free(name);
		return pm_err(e, "out of memory");
	}
	db->head.engine = &engine;
	db->head.name = name;
	db->mode = mode;
	if (pm_pgwire_open(&db->wire, url, e) < 0 || set_up(db, e) < 0) {
		saved = errno;
		pm_err_prefix(e, "database %s", name);
		goto failed;
	}
	db->bulk = pm_copyin_new(db->wire);
	if (db->bulk) {
		*out = &db->head;
		return 0;
	}
	saved = ENOMEM;
	pm_err(e, "out of memory");
failed:
	pg_close(&db->head);
	errno = saved;
	return -1;
}

#else

int pm_postgres_check(const char *url, struct pm_err *e)
{
	return pm_postgres_open(NULL, url, PM_DB_READ, e);
}

int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e)
{
	(void)out;
	(void)mode;
	errno = ENOTSUP;
	return pm_err(e,
		      "database %.*s...: PostgreSQL is not built in: this perfmon was configured "
		      "without libpq",
		      (int)(strchr(url, ':') - url + 1), url);
}

#endif
