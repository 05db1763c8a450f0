/*
 * One interface for every database engine. SQL is written once, in what SQLite and PostgreSQL
 * share; parameters are ?. Only the engines' own files know an engine.
 *
 *	struct pm_stmt *q;
 *	if (pm_db_prepare(db, "SELECT id, name FROM job WHERE uid = ?", &q, e) < 0)
 *		return -1;
 *	pm_db_bind_int(q, 1, uid);
 *	while ((rc = pm_db_step(q, e)) > 0)
 *		use(pm_db_int(q, 0), pm_db_text(q, 1, NULL));
 *	pm_db_finish(q);
 */
#ifndef PM_DB_DB_H
#define PM_DB_DB_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct pm_db;
struct pm_stmt;

enum pm_db_mode {
	PM_DB_READ,       /* must exist; nothing is changed */
	PM_DB_WRITE,      /* created, with its directory and schema, where it is missing */
	PM_DB_WRITE_SURE, /* as PM_DB_WRITE, and commits survive a power loss */
	/* As PM_DB_WRITE_SURE, for callers that can retry later: waits seconds, not minutes, for
	 * another writer. */
	PM_DB_WRITE_SOON,
	PM_DB_CHANGE,  /* as PM_DB_WRITE, but must exist */
	PM_DB_MIGRATE, /* as PM_DB_CHANGE, but accepts earlier schema versions */
	PM_DB_LOOK,    /* as PM_DB_READ, but accepts earlier schema versions */
	PM_DB_OTHER,   /* as PM_DB_READ, for another program's database: any schema will do */
	/* Private and empty, gone at close; the setting is ignored. Pages that exceed the cache
	 * spill to a temporary file. */
	PM_DB_MEMORY,
};

/*
 * Open the database that the setting db names: a path, sqlite:PATH, postgresql://..., or as
 * SQLAlchemy has it;
 * "" for the default (perfmon/perfmon.db under $XDG_DATA_HOME, else ~/.local/share). A new file is
 * 0600, its directory 0700. A schema newer than this build's is an error (EOVERFLOW). An older one
 * is an error (ESTALE) unless the mode accepts it, or the mode is PM_DB_READ and this build's
 * queries work on that version. A database that must exist is an error (ENOENT) if it is missing
 * or empty. Returns 0 with *out to be closed by the caller, or -1 with e filled.
 */
int pm_db_open(struct pm_db **out, const char *setting, enum pm_db_mode mode, struct pm_err *e);

/*
 * Check, without opening it, that a setting names a database that stays when the program ends: one
 * with a path, or one on a server, whose URL has to be well formed, which only a build with libpq
 * can say. Returns 0, or -1 with e filled.
 */
int pm_db_check(const char *setting, struct pm_err *e);

/* Why this build cannot open the kind of database that a setting names, as a predicate for a
 * message; NULL if it can. */
const char *pm_db_missing(const char *setting);

/*
 * Rewrite a setting in the forms of SQLAlchemy, as EPMT has them, as perfmon's own: sqlite:///PATH
 * is a relative path, sqlite:////PATH an absolute one, sqlite:// is ":memory:"; what stands behind
 * ? is dropped, and so is a driver such as +psycopg2. Any other text stays. Returns a text to be
 * freed, or NULL with e filled.
 */
char *pm_db_plain(const char *setting, struct pm_err *e);

/* Whether a setting names a database of a server, which has no path. */
bool pm_db_is_served(const char *setting);

/* The path of the database that a setting names, to be freed. NULL with e filled for a server's
 * database, a bad setting, a default without a home directory, or too little memory. */
char *pm_db_path(const char *setting, struct pm_err *e);

/*
 * Whether a process holds the write lock of the database at a path now; changes nothing and does
 * not wait. Returns 1 with *pid the lock holder, or *pid 0 if the holder is unknown or on another
 * host; 0 if a writer may begin, also if there is no database yet; -1 with e filled.
 */
int pm_db_locked(const char *path, long *pid, struct pm_err *e);

/*
 * Whether the engine holds a file open in this process: an SQLite database or a file that SQLite
 * keeps beside it. Closing another descriptor of such a file drops the engine's POSIX locks on it,
 * and other processes may then write at the same time: call this before opening any file that a
 * user names.
 */
bool pm_db_is_file(const struct stat *st);

/* openat(2) for reading; refuses files of pm_db_is_file with EBUSY. Returns a descriptor, or -1
 * with errno. */
int pm_db_open_file(int dir, const char *name, int flags);

/* Close a database; NULL is fine. Every statement must be finished. */
void pm_db_close(struct pm_db *db);

/* Name of the database for messages, without a password. Valid until close. */
const char *pm_db_name(const struct pm_db *db);

/* Whether it is one of PM_DB_MEMORY. */
bool pm_db_is_memory(const struct pm_db *db);

/* Whether table job_zone has bounds of the figures of jobs: in SQLite. */
bool pm_db_has_zones(const struct pm_db *db);

/* Run statements that return no rows. Returns 0 or -1 with e filled. */
int pm_db_exec(struct pm_db *db, const char *sql, struct pm_err *e);

/* Prepare one statement, to be finished by the caller. Returns 0 or -1 with e filled. */
int pm_db_prepare(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e);

/* Prepare an INSERT of one row, to be run with pm_db_run_id() and finished by the caller. The
 * database assigns the table's key, `id`, unless the statement gives it. Returns 0 or -1 with e
 * filled. */
int pm_db_prepare_id(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e);

/* Run an INSERT prepared by pm_db_prepare_id(). Returns the id of the row, or -1 with e filled. */
int64_t pm_db_run_id(struct pm_stmt *q, struct pm_err *e);

/*
 * Prepare a bulk insert into a table of the schema, to be finished by the caller: parameter i is
 * the i-th column of the table, and pm_db_run adds the row. A row whose primary key exists already
 * is skipped with `first`, else a failure, EINVAL. The engine may buffer rows until a statement of
 * another kind runs or the transaction commits; that call then reports their errors. pm_db_finish
 * does not drop buffered rows. Inside a transaction only. Returns 0 or -1 with e filled.
 */
int pm_db_insert(struct pm_db *db, const char *table, bool first, struct pm_stmt **out,
		 struct pm_err *e);

/*
 * Give a value to parameter `i`, counted from 1. Unbound parameters are NULL. Text and bytes are
 * not copied: they must stay as they are until the next pm_db_step or pm_db_reset. Failures (out of
 * range, no memory) are reported by the next pm_db_step.
 */
void pm_db_bind_int(struct pm_stmt *q, int i, int64_t v);
void pm_db_bind_real(struct pm_stmt *q, int i, double v);
void pm_db_bind_text(struct pm_stmt *q, int i, const char *p, size_t n);
void pm_db_bind_str(struct pm_stmt *q, int i, const char *text); /* NULL for NULL */
void pm_db_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n);

/* Run until the next row. Returns 1 with a row, 0 at the end, or -1 with e filled. */
int pm_db_step(struct pm_stmt *q, struct pm_err *e);

/* Run a statement that returns no rows, then reset it and unbind its parameters. Returns 0 or
 * -1 with e filled. */
int pm_db_run(struct pm_stmt *q, struct pm_err *e);

/* Run a statement whose only parameter is a number, such as that of a job. Returns 1 if it has a
 * row, 0 or -1 with e filled. */
int pm_db_run_about(struct pm_db *db, const char *sql, int64_t number, struct pm_err *e);

/* Make a statement ready to run again, its parameters NULL. */
void pm_db_reset(struct pm_stmt *q);

/* Free a statement; NULL is fine. */
void pm_db_finish(struct pm_stmt *q);

/* Columns of the current row, counted from 0. Text and bytes stay valid until the next step; *n
 * gets their length unless n is NULL. The text of NULL is NULL, its number 0. */
int pm_db_columns(struct pm_stmt *q);
const char *pm_db_column_name(struct pm_stmt *q, int i);
bool pm_db_is_null(struct pm_stmt *q, int i);
int64_t pm_db_int(struct pm_stmt *q, int i);
double pm_db_real(struct pm_stmt *q, int i);
const char *pm_db_text(struct pm_stmt *q, int i, size_t *n);
const void *pm_db_blob(struct pm_stmt *q, int i, size_t *n);

enum pm_db_type { PM_DB_NULL, PM_DB_INTEGER, PM_DB_REAL, PM_DB_TEXT, PM_DB_BLOB };

/* Type of the value in the current row. */
enum pm_db_type pm_db_type(struct pm_stmt *q, int i);

/*
 * The errno of the first failure since the last call of this function, 0 for none. EINVAL is a
 * fault of the data: too long, or against a constraint. ETIME: see pm_db_until. All others are
 * faults of the database: EBUSY, ENOSPC, EROFS, EIO, ...
 */
int pm_db_failure(struct pm_db *db);

/* Make pm_db_run() fail with ETIME once this process has used so much CPU time, in microseconds;
 * INT64_MAX, the default, for no limit. */
void pm_db_until(struct pm_db *db, int64_t cpu_us);

/*
 * Until pm_db_unguard, statements may read only, in SQLite call only functions of db/condition.h,
 * and take limit_ms of elapsed time, all together; 0: as long as they want. For conditions that
 * users write; outside of transactions, but not of that of PM_DB_READ. A statement that was stopped
 * fails with ETIME. Returns 0 or -1 with e filled.
 */
int pm_db_guard(struct pm_db *db, int64_t limit_ms, struct pm_err *e);

/* End pm_db_guard; its statements must be finished. Does nothing without it. */
void pm_db_unguard(struct pm_db *db);

/* Begin a transaction that may write (waits for another writer), commit it, roll it back. */
int pm_db_begin(struct pm_db *db, struct pm_err *e);
int pm_db_begin_large(struct pm_db *db, struct pm_err *e); /* one that writes tens of megabytes */
int pm_db_commit(struct pm_db *db, struct pm_err *e);
void pm_db_rollback(struct pm_db *db);

/*
 * Lock a name until the caller's transaction ends. Waits for other transactions that have locked
 * the same name; later reads see what they wrote. Returns 0 or -1 with e filled.
 */
int pm_db_lock(struct pm_db *db, const char *name, struct pm_err *e);

/* Lock a job before its rows are written or deleted: pm_db_lock for all jobs of the same id and
 * array task, which may be one job even if their epochs differ. */
int pm_db_lock_job(struct pm_db *db, const char *jobid, const char *array_task, struct pm_err *e);

/*
 * What a SELECT of rows of one table ends in so that nobody else changes or deletes these rows
 * until the transaction ends; "" if it is alone in writing to the database. Rows that others have
 * changed without committing are waited for, or with `pass` left out. Inside a transaction only.
 */
const char *pm_db_lock_rows(const struct pm_db *db, bool pass);

/*
 * Return freed space to the file system, as far as the engine can. SQLite rewrites the whole file,
 * which needs as much free space again and blocks other writers. Outside of transactions. Returns 0
 * or -1 with e filled and the database as it was.
 */
int pm_db_compact(struct pm_db *db, struct pm_err *e);

#endif
