/* Databases: which engine a setting names, the schema's version, and dispatch to the engine. */
#include "config.h"

#include "submit/db_engine.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Create a directory and what is missing above it, 0700. Returns 0 or -1 with e filled. */
static int make_directories(const char *path, struct pm_err *e)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof part)
		return pm_err(e, "%s: name is too long", path);
	memcpy(part, path, n + 1);
	for (char *p = part + 1;; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return pm_err(e, "create directory %s: %m", part);
		*p = c;
		if (c == '\0')
			return 0;
	}
}

/* The default database. Returns a text to be freed, or NULL with e filled. */
static char *default_path(struct pm_err *e)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME"), *below = "";
	char *path;

	if (!data || data[0] != '/') {
		if (!home || home[0] != '/') {
			struct passwd *pw = getpwuid(getuid());

			home = pw ? pw->pw_dir : NULL;
		}
		if (!home || home[0] != '/') {
			pm_err(e, "no home directory for the database: set PERFMON_DB");
			return NULL;
		}
		data = home;
		below = "/.local/share";
	}
	if (asprintf(&path, "%s%s/perfmon/perfmon.db", data, below) < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	return path;
}

/* What is in the database: 1 a perfmon schema this build knows, 0 nothing at all, or -1. */
static int check_schema(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t tables, version;

	if (db->engine->prepare(
		    db,
		    "SELECT count(*), sum(CASE WHEN name = 'schema_version' THEN 1 ELSE 0 END) "
		    "FROM sqlite_master",
		    &q, e) < 0)
		return -1;
	if (pm_db_step(q, e) < 0) {
		pm_db_finish(q);
		return -1;
	}
	tables = pm_db_int(q, 0);
	version = pm_db_int(q, 1);
	pm_db_finish(q);
	if (tables == 0)
		return 0;
	if (version == 0)
		return pm_err(e, "a database of something else: it has no table schema_version");
	if (pm_db_prepare(db, "SELECT max(version) FROM schema_version", &q, e) < 0)
		return -1;
	if (pm_db_step(q, e) < 0) {
		pm_db_finish(q);
		return -1;
	}
	version = pm_db_int(q, 0);
	pm_db_finish(q);
	if (version > PM_SCHEMA_VERSION) {
		errno = EOVERFLOW;
		return pm_err(e,
			      "its schema version %lld is newer than the %d of this perfmon: use a "
			      "newer one",
			      (long long)version, PM_SCHEMA_VERSION);
	}
	if (version < 1)
		return pm_err(e, "its table schema_version is damaged");
	return 1;
}

/* Make the schema where there is none; of two that try at once, the second finds it made. */
static int make_schema(struct pm_db *db, struct pm_err *e)
{
	char *sql;
	int rc;

	if (pm_db_begin(db, e) < 0)
		return -1;
	rc = check_schema(db, e);
	if (rc != 0) {
		pm_db_rollback(db);
		return rc < 0 ? -1 : 0;
	}
	sql = pm_schema_text(db->engine->dialect);
	if (!sql)
		rc = pm_err(e, "out of memory");
	else
		rc = pm_db_exec(db, sql, e);
	free(sql);
	if (rc == 0)
		rc = pm_db_commit(db, e);
	if (rc < 0)
		pm_db_rollback(db);
	return rc;
}

static int open_path(struct pm_db **out, const char *path, enum pm_db_mode mode, struct pm_err *e)
{
	const char *slash = strrchr(path, '/');
	struct pm_db *db = NULL;
	int rc, saved;

	if ((mode == PM_DB_WRITE || mode == PM_DB_WRITE_SOON) && slash && slash != path) {
		char *parent = strndup(path, (size_t)(slash - path));
		struct stat st;

		if (!parent)
			return pm_err(e, "out of memory");
		rc = stat(parent, &st) == 0 ? 0 : make_directories(parent, e);
		free(parent);
		if (rc < 0)
			return -1;
	}
	if (pm_sqlite_open(&db, path, mode, e) < 0)
		return -1;
	rc = mode == PM_DB_OTHER ? 1 : check_schema(db, e);
	if (rc == 0 && mode == PM_DB_READ)
		rc = pm_err(e, "nothing was ever loaded into it");
	else if (rc == 0)
		rc = make_schema(db, e);
	if (rc < 0) {
		saved = errno;
		pm_err_prefix(e, "database %s", path);
		pm_db_close(db);
		errno = saved;
		return -1;
	}
	*out = db;
	return 0;
}

char *pm_db_path(const char *setting, struct pm_err *e)
{
	char *path;

	if (setting &&
	    (strncmp(setting, "postgresql:", 11) == 0 || strncmp(setting, "postgres:", 9) == 0)) {
		errno = ENOTSUP;
		pm_err(e, "database %.*s...: PostgreSQL is not built in",
		       (int)(strchr(setting, ':') - setting + 1), setting);
		return NULL;
	}
	if (setting && strncmp(setting, "sqlite:", 7) == 0)
		setting += 7;
	if (!setting || !setting[0])
		return default_path(e);
	path = strdup(setting);
	if (!path)
		pm_err(e, "out of memory");
	return path;
}

int pm_db_open(struct pm_db **out, const char *setting, enum pm_db_mode mode, struct pm_err *e)
{
	char *path;
	int rc, saved;

	if (mode == PM_DB_MEMORY || (setting && strcmp(setting, ":memory:") == 0))
		return open_path(out, ":memory:", PM_DB_MEMORY, e);
	path = pm_db_path(setting, e);
	if (!path)
		return -1;
	rc = open_path(out, path, mode, e);
	saved = errno;
	free(path);
	errno = saved;
	return rc;
}

int pm_db_locked(const char *path, long *pid, struct pm_err *e)
{
	return pm_sqlite_locked(path, pid, e);
}

void pm_db_close(struct pm_db *db)
{
	if (db)
		db->engine->close(db);
}

const char *pm_db_name(const struct pm_db *db)
{
	return db->name;
}

int pm_db_exec(struct pm_db *db, const char *sql, struct pm_err *e)
{
	return db->engine->exec(db, sql, e);
}

int pm_db_prepare(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e)
{
	return db->engine->prepare(db, sql, out, e);
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
	return q->engine->step(q, e);
}

int pm_db_run(struct pm_stmt *q, struct pm_err *e)
{
	int rc = q->engine->step(q, e);

	q->engine->reset(q);
	return rc < 0 ? -1 : 0;
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

int pm_db_commit(struct pm_db *db, struct pm_err *e)
{
	return db->engine->exec(db, "COMMIT", e);
}

void pm_db_rollback(struct pm_db *db)
{
	db->engine->exec(db, "ROLLBACK", NULL);
}

int pm_db_failure(struct pm_db *db)
{
	int failure = db->failure;

	db->failure = 0;
	return failure;
}
