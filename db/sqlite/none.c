/* Replaces the SQLite engine in builds without it. */
#include "config.h"

#include "db/engine.h"

#include "common/version.h"

#include <errno.h>
#include <unistd.h>

const char *pm_sqlite_missing(void)
{
	return "this perfmon was built without SQLite, to record only";
}

/* ENOENT: readers that can do without a database do so. */
int pm_sqlite_open(struct pm_db **out, const char *path, enum pm_db_mode mode,
		   enum pm_db_journal journal, struct pm_err *e)
{
	bool reads = mode == PM_DB_READ || mode == PM_DB_LOOK || mode == PM_DB_OTHER;

	(void)out;
	(void)journal;
	pm_err(e,
	       "database %s: %s: load job directories, or archives of `perfmon stage`, with a "
	       "perfmon that has SQLite",
	       path, pm_sqlite_missing());
	errno = reads && access(path, F_OK) < 0 ? ENOENT : ENOTSUP;
	return -1;
}

/* This build holds no SQLite database open. */
int pm_sqlite_locked(const char *path, long *pid, struct pm_err *e)
{
	(void)path;
	(void)e;
	*pid = 0;
	return 0;
}

bool pm_sqlite_is_file(const struct stat *st)
{
	(void)st;
	return false;
}

void pm_version_sqlite(struct pm_version *v)
{
	(void)v;
}
