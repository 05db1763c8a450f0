/* The SQLite engine: databases and statements. */
#include "config.h"

#include "db/sqlite/companions.h"
#include "db/sqlite/files.h"
#include "db/sqlite/guard.h"
#include "db/sqlite/handle.h"
#include "db/sqlite/journal.h"
#include "db/sqlite/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long a writer waits for another one, ms: loads of big jobs take a while. */
#define BUSY_MS      (10 * 60 * 1000)
#define BUSY_SOON_MS 3000

/* How long to wait for other processes before changing the journal mode, ms. */
#define JOURNAL_MS 12000

/* SQLite's page cache, kB: bounds the memory of a load. */
#define CACHE_KB "8192"

/* Page size of a new database, bytes. SQLite's usual 4 KB is small: each page is written twice, by
 * a system call each, and a row is longer than an eighth of 4 KB. */
#define PAGE_SIZE "16384"

struct sqlite_stmt {
	struct pm_stmt head;
	sqlite3_stmt *handle;
	char *sql;  /* as the caller wrote it */
	int bound;  /* first failure of a bind, or SQLITE_OK */
	bool keyed; /* needs foreign keys: it deletes */
	bool once;  /* prepared under guard: not to be kept */
};

static sqlite3 *handle_of(struct pm_db *db)
{
	return pm_sqlite_of(db)->handle;
}

/* Write buffered rows first: a statement needs the handle for itself. The next step reports a
 * failure of those rows. */
static struct sqlite_stmt *stmt_of(struct pm_stmt *q)
{
	/* Of each value of each row: readers have no such rows. */
	if (pm_sqlite_of(q->db)->rows)
		pm_sqlite_rows_settle(q->db, NULL);
	return (struct sqlite_stmt *)q;
}

static void sqlite_close(struct pm_db *db)
{
	pm_sqlite_rows_free(db);
	pm_sqlite_idle_free(&pm_sqlite_of(db)->idle);
	pm_sqlite_files_closed(&pm_sqlite_of(db)->opened);
	sqlite3_close(handle_of(db));
	free(db->name);
	free(db);
}

/* Run statements that change no rows of tables. Returns 0 or -1 with e filled. */
static int run_unkeyed(struct pm_db *db, const char *sql, struct pm_err *e)
{
	int rc;

	if (pm_sqlite_rows_settle(db, e) < 0 || pm_sqlite_check_begun(db, e) < 0)
		return -1;
	rc = sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : pm_sqlite_fail(db, rc, e);
}

static int sqlite_exec(struct pm_db *db, const char *sql, struct pm_err *e)
{
	if (pm_sqlite_rows_settle(db, e) < 0)
		return -1;
	pm_sqlite_rows_keyed(db);
	return run_unkeyed(db, sql, e);
}

static int sqlite_begin(struct pm_db *db, struct pm_err *e)
{
	int rc = run_unkeyed(db, "BEGIN IMMEDIATE", e);

	pm_sqlite_of(db)->begun = rc == 0;
	return rc;
}

static int sqlite_commit(struct pm_db *db, struct pm_err *e)
{
	int rc = run_unkeyed(db, "COMMIT", e);

	pm_sqlite_of(db)->begun = pm_sqlite_of(db)->begun && rc < 0;
	if (rc == 0)
		pm_sqlite_journal_committed(db);
	return rc;
}

static void sqlite_rollback(struct pm_db *db)
{
	pm_sqlite_rows_drop(db);
	pm_sqlite_of(db)->begun = false;
	sqlite3_exec(handle_of(db), "ROLLBACK", NULL, NULL, NULL);
}

static int sqlite_references(struct pm_db *db, bool follow, struct pm_err *e)
{
	struct pm_sqlite *s = pm_sqlite_of(db);

	if (sqlite_exec(db, follow ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF", e) <
	    0)
		return -1;
	s->unfollowed = s->unkeyed = !follow;
	return 0;
}

static int sqlite_compact(struct pm_db *db, struct pm_err *e)
{
	/* VACUUM writes the whole database to the log: the checkpoint empties the log, unless a
	 * reader needs it. */
	return sqlite_exec(db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", e);
}

/* Return a copy of the SQL without NULLS LAST after DESC and NULLS FIRST, which SQLite knows only
 * since 3.30 (perfmon needs 3.26): as it sorts NULL below any value, they say what it does anyway.
 * Texts in quotes stay. The caller frees the copy; NULL if out of memory. */
static char *in_dialect(const char *sql)
{
	static const char *const words[] = { " NULLS LAST", " NULLS FIRST" };
	char *copy = strdup(sql), quote = '\0';

	for (char *at = copy; at && *at; at++) {
		if (*at == quote)
			quote = '\0';
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		for (size_t i = 0; !quote && i < sizeof words / sizeof words[0]; i++)
			if (strncmp(at, words[i], strlen(words[i])) == 0)
				memset(at, ' ', strlen(words[i]));
	}
	return copy;
}

/* Prepare a statement that is not idle. Returns 0 or -1 with e filled. */
static int prepare_new(struct pm_db *db, const char *sql, struct sqlite_stmt *q, struct pm_err *e)
{
	char *text = in_dialect(sql);
	int rc;

	q->sql = strdup(sql);
	if (!text || !q->sql) {
		free(text);
		free(q->sql);
		return pm_err(e, "out of memory");
	}
	rc = sqlite3_prepare_v3(handle_of(db), text, -1, SQLITE_PREPARE_PERSISTENT, &q->handle,
				NULL);
	free(text);
	if (rc == SQLITE_OK)
		return 0;
	free(q->sql);
	return pm_sqlite_fail(db, rc, e);
}

static int sqlite_prepare(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e)
{
	static const char deletes[] = "DELETE ";
	struct sqlite_stmt *q;

	if (pm_sqlite_rows_settle(db, e) < 0)
		return -1;
	q = calloc(1, sizeof *q);
	if (!q)
		return pm_err(e, "out of memory");
	q->once = pm_sqlite_of(db)->guarded;
	if (!q->once)
		q->sql = pm_sqlite_idle_take(&pm_sqlite_of(db)->idle, sql, &q->handle);
	if (!q->sql && prepare_new(db, sql, q, e) < 0) {
		free(q);
		return -1;
	}
	q->keyed = strncmp(sql, deletes, sizeof deletes - 1) == 0;
	q->head.engine = db->engine;
	q->head.db = db;
	*out = &q->head;
	return 0;
}

static int64_t sqlite_inserted(struct pm_stmt *q)
{
	return sqlite3_last_insert_rowid(handle_of(q->db));
}

static void note_bind(struct pm_stmt *q, int rc)
{
	if (rc != SQLITE_OK && stmt_of(q)->bound == SQLITE_OK)
		stmt_of(q)->bound = rc;
}

static void sqlite_bind_int(struct pm_stmt *q, int i, int64_t v)
{
	note_bind(q, sqlite3_bind_int64(stmt_of(q)->handle, i, v));
}

static void sqlite_bind_real(struct pm_stmt *q, int i, double v)
{
	note_bind(q, sqlite3_bind_double(stmt_of(q)->handle, i, v));
}

static void sqlite_bind_text(struct pm_stmt *q, int i, const char *p, size_t n)
{
	/* A NULL pointer of length 0 is an empty text here, and NULL to SQLite. */
	note_bind(q, sqlite3_bind_text64(stmt_of(q)->handle, i, p ? p : "", n, SQLITE_STATIC,
					 SQLITE_UTF8));
}

static void sqlite_bind_blob(struct pm_stmt *q, int i, const void *p, size_t n)
{
	note_bind(q, sqlite3_bind_blob64(stmt_of(q)->handle, i, p ? p : "", n, SQLITE_STATIC));
}

static void sqlite_bind_null(struct pm_stmt *q, int i)
{
	note_bind(q, sqlite3_bind_null(stmt_of(q)->handle, i));
}

static int sqlite_step(struct pm_stmt *q, struct pm_err *e)
{
	struct sqlite_stmt *s = stmt_of(q);
	int rc = s->bound;

	if (pm_sqlite_rows_settle(q->db, e) < 0 || pm_sqlite_check_begun(q->db, e) < 0)
		return -1;
	if (rc != SQLITE_OK)
		return pm_err(e, "bind a value: %s", sqlite3_errstr(rc));
	if (s->keyed)
		pm_sqlite_rows_keyed(q->db);
	rc = sqlite3_step(s->handle);
	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : pm_sqlite_fail(q->db, rc, e);
}

static void sqlite_reset(struct pm_stmt *q)
{
	/* sqlite3_reset repeats the result of the last step, which was checked. */
	sqlite3_reset(stmt_of(q)->handle);
	sqlite3_clear_bindings(stmt_of(q)->handle);
	stmt_of(q)->bound = SQLITE_OK;
}

static void sqlite_finish(struct pm_stmt *q)
{
	struct sqlite_stmt *s = stmt_of(q);

	sqlite_reset(q);
	if (s->once) {
		sqlite3_finalize(s->handle);
		free(s->sql);
	} else
		pm_sqlite_idle_keep(&pm_sqlite_of(q->db)->idle, s->sql, s->handle);
	free(q);
}

static int sqlite_columns(struct pm_stmt *q)
{
	return sqlite3_column_count(stmt_of(q)->handle);
}

static const char *sqlite_column_name(struct pm_stmt *q, int i)
{
	return sqlite3_column_name(stmt_of(q)->handle, i);
}

static enum pm_db_type sqlite_type(struct pm_stmt *q, int i)
{
	switch (sqlite3_column_type(stmt_of(q)->handle, i)) {
	case SQLITE_INTEGER:
		return PM_DB_INTEGER;
	case SQLITE_FLOAT:
		return PM_DB_REAL;
	case SQLITE_TEXT:
		return PM_DB_TEXT;
	case SQLITE_BLOB:
		return PM_DB_BLOB;
	default:
		return PM_DB_NULL;
	}
}

static int64_t sqlite_int(struct pm_stmt *q, int i)
{
	return sqlite3_column_int64(stmt_of(q)->handle, i);
}

static double sqlite_real(struct pm_stmt *q, int i)
{
	return sqlite3_column_double(stmt_of(q)->handle, i);
}

static const char *sqlite_text(struct pm_stmt *q, int i, size_t *n)
{
	const char *text = (const char *)sqlite3_column_text(stmt_of(q)->handle, i);

	if (n)
		*n = (size_t)sqlite3_column_bytes(stmt_of(q)->handle, i);
	return text;
}

static const void *sqlite_blob(struct pm_stmt *q, int i, size_t *n)
{
	const void *p = sqlite3_column_blob(stmt_of(q)->handle, i);

	if (n)
		*n = (size_t)sqlite3_column_bytes(stmt_of(q)->handle, i);
	return p;
}

static const struct pm_db_engine engine = {
	.dialect = PM_DIALECT_SQLITE,
	.catalog = "SELECT name, type AS kind, tbl_name AS tbl FROM sqlite_master "
		   "WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'",
	/* Bounds of jobs stand for indexes (sql/jobzones.c). */
	.sizes = "SELECT m.name, CASE m.name WHEN 'job_zone' THEN 'index' ELSE m.type END AS kind, "
		 "CASE m.name WHEN 'job_zone' THEN 'job' ELSE m.tbl_name END AS tbl, "
		 "sum(s.pgsize) AS bytes FROM sqlite_master m JOIN dbstat s ON s.name = m.name "
		 "WHERE m.type IN ('table', 'index') GROUP BY m.name ORDER BY m.name",
	.size = "SELECT page_count * page_size, freelist_count * page_size FROM "
		"pragma_page_count(), pragma_page_size(), pragma_freelist_count()",
	.guard = pm_sqlite_guard,
	.unguard = pm_sqlite_unguard,
	.unanalyzed = "SELECT count(*) FROM sqlite_master WHERE name = 'job' AND NOT EXISTS "
		      "(SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1')",
	/* At most 100, the default: SQLite 3.46 takes an argument of the function, meant as the
	 * limit, for a table name. */
	.complaints = "SELECT integrity_check FROM pragma_integrity_check "
		      "WHERE integrity_check <> 'ok'",
	.close = sqlite_close,
	.exec = sqlite_exec,
	.prepare = sqlite_prepare,
	.returning = "",
	.inserted = sqlite_inserted,
	.insert = pm_sqlite_rows_insert,
	.begin = sqlite_begin,
	.references = sqlite_references,
	.large = pm_sqlite_journal_large,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.compact = sqlite_compact,
	.bind_int = sqlite_bind_int,
	.bind_real = sqlite_bind_real,
	.bind_text = sqlite_bind_text,
	.bind_blob = sqlite_bind_blob,
	.bind_null = sqlite_bind_null,
	.step = sqlite_step,
	.reset = sqlite_reset,
	.finish = sqlite_finish,
	.columns = sqlite_columns,
	.column_name = sqlite_column_name,
	.type = sqlite_type,
	.get_int = sqlite_int,
	.get_real = sqlite_real,
	.get_text = sqlite_text,
	.get_blob = sqlite_blob,
};

static int set_up(struct pm_db *db, const char *path, enum pm_db_mode mode,
		  enum pm_db_journal journal, struct pm_err *e)
{
	bool soon = mode == PM_DB_WRITE_SOON;

	pm_sqlite_wait(db, soon ? BUSY_SOON_MS : BUSY_MS);
	sqlite3_extended_result_codes(handle_of(db), 1);
	if (sqlite_exec(db,
			"PRAGMA foreign_keys = ON;"
			"PRAGMA trusted_schema = OFF;"
			"PRAGMA cache_size = -" CACHE_KB ";"
			"PRAGMA temp_store = FILE",
			e) < 0)
		return -1;
	if (mode == PM_DB_MEMORY)
		return 0;
	if (mode == PM_DB_READ || mode == PM_DB_LOOK || mode == PM_DB_OTHER)
		return sqlite_exec(db, "PRAGMA query_only = ON", e);
	/* page_size changes nothing in a file that has pages. SQLite turns the cache size into
	 * pages of the present size: set it again for the size of a new file. */
	if (sqlite_exec(db,
			"PRAGMA page_size = " PAGE_SIZE ";"
			"PRAGMA cache_size = -" CACHE_KB,
			e) < 0)
		return -1;
	return pm_sqlite_journal_set(db, path, journal, soon || mode == PM_DB_WRITE_SURE,
				     soon ? BUSY_SOON_MS : JOURNAL_MS, e);
}

/* Check that a path is a regular file: reading a pipe or a device may never return. Returns 0 or -1
 * with e filled. */
static int check_file(const char *path, struct pm_err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return pm_err(e, "open database %s: %m", path);
	if (S_ISREG(st.st_mode))
		return 0;
	errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	return errno == EISDIR ? pm_err(e, "open database %s: %m", path)
			       : pm_err(e, "database %s: not a regular file", path);
}

/* Create the file before SQLite does, to set its mode, which the files beside it inherit. A file
 * that exists is not opened: see db/sqlite/files.c. */
static int make_file(const char *path, struct pm_err *e)
{
	int fd = -1;

	if (access(path, F_OK) < 0) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
		if (fd >= 0)
			close(fd);
	} else if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0) {
		fd = 0;
	}
	return fd < 0 ? pm_err(e, "open database %s: %m", path) : check_file(path, e);
}

/* SQLite URI that opens a path as immutable, for a directory without write permission. To be freed;
 * NULL if out of memory. */
static char *immutable_uri(const char *path)
{
	size_t n = 5 + 3 * strlen(path) + 14 + 1, len = 5;
	char *uri = malloc(n);

	if (!uri)
		return NULL;
	memcpy(uri, "file:", 5);
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c == '?' || c == '#' || c == '%' || c < ' ' || c >= 0x7f) {
			uri[len++] = '%';
			uri[len++] = "0123456789ABCDEF"[c >> 4];
			uri[len++] = "0123456789ABCDEF"[c & 15];
		} else {
			uri[len++] = (char)c;
		}
	}
	memcpy(uri + len, "?immutable=1", 13);
	return uri;
}

static int open_handle(struct pm_db *db, const char *name, int flags, struct pm_err *e)
{
	struct pm_sqlite *s = (struct pm_sqlite *)db;
	int rc = sqlite3_open_v2(name, &s->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc == SQLITE_OK)
		return 0;
	if (!s->handle)
		return pm_err(e, "out of memory");
	pm_sqlite_fail(db, rc, e);
	return pm_err_prefix(e, "open database %s", db->name);
}

/*
 * Open for reading, but read-write if this user may write: then SQLite removes the files that
 * reading needs beside the database. A database in WAL mode, in a directory that we cannot write
 * to, whose index no writer has left there, opens only as immutable.
 */
static int open_to_read(struct pm_db *db, const char *path, enum pm_db_mode mode, struct pm_err *e)
{
	static const int how[] = { SQLITE_OPEN_READWRITE, SQLITE_OPEN_READONLY };
	struct pm_sqlite *s = (struct pm_sqlite *)db;
	char *uri;
	int rc;

	if (access(path, R_OK) < 0)
		return pm_err(e, "open database %s: %m", path);
	if (check_file(path, e) < 0)
		return -1;
	/* Never open another program's database read-write. */
	for (int i = mode == PM_DB_OTHER || access(path, W_OK) < 0; i < 2; i++) {
		if (open_handle(db, path, how[i], e) == 0) {
			/* SQLITE_READONLY if not even the log's file can be created. */
			rc = sqlite3_exec(s->handle, "SELECT 1 FROM sqlite_master", NULL, NULL,
					  NULL) &
			     0xff;
			if (rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY)
				return 0;
			/* Opened as immutable, the database would silently lack the log's commits.
			 */
			if (i == 1 && pm_sqlite_files_has_log(path)) {
				pm_sqlite_fail(db, rc, e);
				return pm_err_prefix(e, "open database %s", path);
			}
		}
		sqlite3_close(s->handle);
		s->handle = NULL;
	}
	uri = immutable_uri(path);
	if (!uri)
		return pm_err(e, "out of memory");
	rc = open_handle(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e);
	free(uri);
	return rc;
}

const char *pm_sqlite_missing(void)
{
	return NULL;
}

int pm_sqlite_open(struct pm_db **out, const char *path, enum pm_db_mode mode,
		   enum pm_db_journal journal, struct pm_err *e)
{
	struct pm_sqlite *s = calloc(1, sizeof *s);
	int rc, saved;

	if (!s || !(s->head.name = strdup(path))) {
		free(s);
		return pm_err(e, "out of memory");
	}
	s->head.engine = &engine;
	pm_sqlite_beside_share();
	switch (mode) {
	case PM_DB_READ:
	case PM_DB_LOOK:
	case PM_DB_OTHER:
		rc = open_to_read(&s->head, path, mode, e);
		break;
	case PM_DB_WRITE:
	case PM_DB_WRITE_SURE:
	case PM_DB_WRITE_SOON:
	case PM_DB_CHANGE:
	case PM_DB_MIGRATE:
		if (mode != PM_DB_CHANGE && mode != PM_DB_MIGRATE)
			rc = make_file(path, e);
		else if (access(path, W_OK) < 0)
			rc = pm_err(e, "write to database %s: %m", path);
		else
			rc = 0;
		if (rc == 0)
			rc = open_handle(&s->head, path, SQLITE_OPEN_READWRITE, e);
		break;
	default:
		/* Without a name: pages that exceed the cache spill to an unlinked file. */
		rc = open_handle(&s->head, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
		break;
	}
	if (rc == 0) {
		pm_sqlite_files_opened(&s->opened, sqlite3_db_filename(s->handle, "main"));
		if (set_up(&s->head, path, mode, journal, e) < 0)
			rc = pm_err_prefix(e, "database %s", path);
	}
	if (rc < 0) {
		saved = errno;
		sqlite_close(&s->head);
		errno = saved;
		return -1;
	}
	*out = &s->head;
	return 0;
}
