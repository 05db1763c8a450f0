/* Open a database: find the engine that a setting names, create the file, check the schema. */
#include "config.h"

#include "db/db.h"
#include "db/engine.h"
#include "db/migrate.h"

#include "common/path.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of the default database, to be freed; NULL with e filled. */
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

static enum pm_db_journal chosen_journal(void)
{
	const char *name = pm_config_get(PM_SET_journal);

	return strcmp(name, "wal") == 0      ? PM_DB_JOURNAL_WAL
	       : strcmp(name, "delete") == 0 ? PM_DB_JOURNAL_DELETE
					     : PM_DB_JOURNAL_AUTO;
}

/* Whether a mode creates a missing database. */
static bool creates_missing(enum pm_db_mode mode)
{
	return mode == PM_DB_WRITE || mode == PM_DB_WRITE_SURE || mode == PM_DB_WRITE_SOON;
}

/* Check that the mode accepts the version of the schema. Returns 0, or -1 with e filled. */
static int schema_fits(struct pm_db *db, enum pm_db_mode mode, struct pm_err *e)
{
	bool any = mode == PM_DB_LOOK || mode == PM_DB_MIGRATE;

	if (db->version > PM_SCHEMA_VERSION) {
		errno = EOVERFLOW;
		return pm_err(e,
			      "its schema version %d is newer than this perfmon's %d: use a newer "
			      "perfmon",
			      db->version, PM_SCHEMA_VERSION);
	}
	if (any || db->version == 0 || db->version == PM_SCHEMA_VERSION ||
	    (mode == PM_DB_READ && pm_migrate_readable(db->version)))
		return 0;
	errno = ESTALE;
	return pm_err(e,
		      "its schema version %d is older than this perfmon's %d: run `perfmon "
		      "migrate` to upgrade it",
		      db->version, PM_SCHEMA_VERSION);
}

/* Check the schema of an opened database, or create it if the mode does. Closes the database and
 * returns -1 with e filled on failure. */
static int with_schema(struct pm_db **out, struct pm_db *db, enum pm_db_mode mode, struct pm_err *e)
{
	bool makes = creates_missing(mode) || mode == PM_DB_MEMORY;
	int rc = pm_db_schema_read(db, e), saved;

	if (rc == 0 && db->version == 0 && makes)
		rc = pm_db_schema_make(db, e);
	if (rc == 0)
		rc = schema_fits(db, mode, e);
	if (rc == 0 && db->version == 0) {
		errno = ENOENT;
		rc = pm_err(e, "nothing was ever loaded into it");
	}
	if (rc < 0) {
		saved = errno;
		pm_err_prefix(e, "database %s", pm_db_name(db));
		pm_db_close(db);
		errno = saved;
		return -1;
	}
	*out = db;
	return 0;
}

static int open_path(struct pm_db **out, const char *path, enum pm_db_mode mode, struct pm_err *e)
{
	const char *slash = strrchr(path, '/');
	struct pm_db *db = NULL;
	int rc;

	if (creates_missing(mode) && slash && slash != path) {
		char *parent = strndup(path, (size_t)(slash - path));
		struct stat st;

		if (!parent)
			return pm_err(e, "out of memory");
		rc = stat(parent, &st) == 0 ? 0 : pm_path_make(parent, e);
		free(parent);
		if (rc < 0)
			return -1;
	}
	/* Opening for writing changes the file's journal, so check first that the database is
	 * perfmon's, or empty. PM_DB_WRITE_SOON does not check: a reader may wait for minutes. */
	if (mode == PM_DB_WRITE || mode == PM_DB_WRITE_SURE || mode == PM_DB_CHANGE ||
	    mode == PM_DB_MIGRATE) {
		errno = 0;
		if (open_path(&db, path, mode == PM_DB_MIGRATE ? PM_DB_LOOK : PM_DB_READ, e) < 0 &&
		    (!creates_missing(mode) || errno != ENOENT))
			return -1;
		if (e)
			e->text[0] = '\0';
		pm_db_close(db);
		db = NULL;
	}
	if (pm_sqlite_open(&db, path, mode, chosen_journal(), e) < 0)
		return -1;
	if (mode != PM_DB_OTHER)
		return with_schema(out, db, mode, e);
	*out = db;
	return 0;
}

char *pm_db_plain(const char *setting, struct pm_err *e)
{
	size_t name = strcspn(setting, "+:"), scheme = strcspn(setting, ":");
	const char *rest = setting + scheme;
	char *plain;
	int n;

	if (strncmp(setting, "sqlite", name) == 0 && name == strlen("sqlite") &&
	    strncmp(rest, "://", 3) == 0) {
		/* As SQLAlchemy writes it: a slash ends the empty host, a path may follow, then
		 * options of the driver. */
		rest += 3;
		if (*rest && *rest != '/') {
			errno = EINVAL;
			pm_err(e,
			       "database sqlite://%s: a relative path is sqlite:///PATH, an "
			       "absolute one sqlite:////PATH",
			       rest);
			return NULL;
		}
		rest += *rest == '/';
		n = (int)strcspn(rest, "?");
		n = asprintf(&plain, n == 0 ? ":memory:" : "sqlite:%.*s", n, rest);
	} else if (scheme > name && *rest && pm_db_is_served(setting)) {
		n = asprintf(&plain, "%.*s%s", (int)name, setting, rest);
	} else {
		n = asprintf(&plain, "%s", setting);
	}
	if (n < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	if (strcmp(plain, "sqlite::memory:") == 0)
		memmove(plain, plain + strlen("sqlite:"), strlen(":memory:") + 1);
	return plain;
}

int pm_db_check(const char *setting, struct pm_err *e)
{
	static const char sqlite[] = "sqlite:";
	char *plain;
	int rc = 0;

	if (pm_database_check(setting, e) < 0 || !(plain = pm_db_plain(setting, e)))
		return -1;
	if (pm_db_is_served(plain))
		rc = pm_postgres_check(plain, e);
	else if (!*plain || strcmp(plain, sqlite) == 0)
		rc = pm_err(e, "%s names no database: give a path behind it", setting);
	else if (strcmp(plain, ":memory:") == 0)
		rc = pm_err(e, "%s would be gone when this command ends: give a path", setting);
	free(plain);
	return rc;
}

bool pm_db_is_served(const char *setting)
{
	return pm_postgres_is(setting);
}

char *pm_db_path(const char *setting, struct pm_err *e)
{
	char *plain, *path;

	if (pm_db_is_served(setting)) {
		errno = ENOTSUP;
		pm_err(e, "database %.*s...: a database on a server has no path",
		       (int)(strchr(setting, ':') - setting + 1), setting);
		return NULL;
	}
	if (!setting || !setting[0])
		return default_path(e);
	if (pm_database_check(setting, e) < 0)
		return NULL;
	plain = pm_db_plain(setting, e);
	if (!plain || strncmp(plain, "sqlite:", 7) != 0)
		return plain;
	path = plain[7] ? strdup(plain + 7) : default_path(e);
	if (!path && plain[7])
		pm_err(e, "out of memory");
	free(plain);
	return path;
}

/* Open a database on a server. Returns 0 or -1 with e filled and errno set. */
static int open_served(struct pm_db **out, const char *setting, enum pm_db_mode mode,
		       struct pm_err *e)
{
	char *url = pm_db_plain(setting, e);
	struct pm_db *db;
	int rc, saved;

	if (!url)
		return -1;
	rc = pm_postgres_open(&db, url, mode, e);
	if (rc == 0)
		rc = with_schema(out, db, mode, e);
	saved = errno;
	free(url);
	errno = saved;
	return rc;
}

int pm_db_open(struct pm_db **out, const char *setting, enum pm_db_mode mode, struct pm_err *e)
{
	char *path;
	int rc, saved;

	if (mode == PM_DB_MEMORY)
		return open_path(out, ":memory:", PM_DB_MEMORY, e);
	if (pm_db_is_served(setting))
		return open_served(out, setting, mode, e);
	path = pm_db_path(setting, e);
	if (!path)
		return -1;
	if (strcmp(path, ":memory:") == 0) {
		free(path);
		errno = ENOTSUP;
		return pm_err(
			e, "database :memory: would be gone when this command ends: give a path, "
			   "sqlite:PATH or postgresql://...");
	}
	rc = open_path(out, path, mode, e);
	saved = errno;
	free(path);
	errno = saved;
	return rc;
}

const char *pm_db_missing(const char *setting)
{
	return pm_db_is_served(setting) ? NULL : pm_sqlite_missing();
}

bool pm_db_is_file(const struct stat *st)
{
	return pm_sqlite_is_file(st);
}

int pm_db_open_file(int dir, const char *name, int flags)
{
	struct stat st;

	if (fstatat(dir, name, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) < 0)
		return -1;
	if (pm_db_is_file(&st)) {
		errno = EBUSY;
		return -1;
	}
	return openat(dir, name, flags | O_RDONLY | O_CLOEXEC);
}

int pm_db_locked(const char *path, long *pid, struct pm_err *e)
{
	return pm_sqlite_locked(path, pid, e);
}
