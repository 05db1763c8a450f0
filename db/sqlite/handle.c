/* Failures of SQLite. */
#include "config.h"

#include "db/sqlite/handle.h"

#include "db/sqlite/diagnose.h"

#include "common/version.h"

#include <errno.h>
#include <string.h>

int pm_sqlite_fail(struct pm_db *db, int rc, struct pm_err *e)
{
	int sys = sqlite3_system_errno(pm_sqlite_of(db)->handle);
	const char *text;

	rc &= 0xff;
	if (rc == SQLITE_FULL)
		errno = ENOSPC;
	else if (rc == SQLITE_READONLY)
		errno = EROFS;
	else if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
		errno = EBUSY;
	else if (rc == SQLITE_INTERRUPT)
		errno = ETIME;
	else if (rc == SQLITE_CONSTRAINT || rc == SQLITE_TOOBIG || rc == SQLITE_MISMATCH ||
		 rc == SQLITE_RANGE)
		errno = EINVAL;
	else
		errno = sys ? sys : EIO;
	if (!db->failure)
		db->failure = errno;
	text = sqlite3_errmsg(pm_sqlite_of(db)->handle);
	if (strstr(text, "near \"STRICT\"")) {
		pm_err(e,
		       "its tables are of schema version 1, which SQLite %s cannot read: run "
		       "`perfmon "
		       "migrate` where SQLite is 3.37 or newer",
		       sqlite3_libversion());
		return -1;
	}
	pm_err(e, "%s", text);
	if (rc == SQLITE_BUSY)
		pm_sqlite_diagnose_holder(db->name, e);
	if (rc == SQLITE_CORRUPT)
		pm_sqlite_diagnose_damage(db->name, e);
	if (rc == SQLITE_READONLY || rc == SQLITE_CANTOPEN)
		pm_sqlite_diagnose_access(
			db->name, sqlite3_db_readonly(pm_sqlite_of(db)->handle, NULL) != 1, e);
	return -1;
}

int pm_sqlite_check_begun(struct pm_db *db, struct pm_err *e)
{
	const struct pm_sqlite *s = pm_sqlite_of(db);

	if (!s->begun || !sqlite3_get_autocommit(s->handle))
		return 0;
	errno = db->failure ? db->failure : EIO;
	return pm_err(e, "the transaction was rolled back after a failure");
}

void pm_version_sqlite(struct pm_version *v)
{
	pm_version_set(v, "%s", sqlite3_libversion());
}
