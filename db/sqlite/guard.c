/* Statements that may only read, and only for a time: SQLite's authorizer and progress handler. */
#include "config.h"

#include "db/sqlite/guard.h"

#include "common/now.h"
#include "db/condition.h"
#include "db/sqlite/handle.h"

#include <string.h>

/* Instructions of SQLite's machine between two looks at the clock: some 0.1 ms. */
#define STEPS 10000

/* Whether the statement that is being prepared may do this; views may call what they need. */
static int authorize(void *arg, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	(void)arg;
	(void)first;
	(void)database;
	if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE)
		return SQLITE_OK;
	if (action == SQLITE_FUNCTION && (view || pm_condition_calls(second, strlen(second))))
		return SQLITE_OK;
	return SQLITE_DENY;
}

static int is_late(void *arg)
{
	const struct pm_db *db = arg;

	return db->guard_us && pm_now_monotonic_us() > db->guard_us;
}

/* Names in double quotes that are no columns are errors, not texts. */
static void take_quoted_for_text(struct pm_db *db, int yes)
{
#ifdef SQLITE_DBCONFIG_DQS_DML
	sqlite3_db_config(pm_sqlite_of(db)->handle, SQLITE_DBCONFIG_DQS_DML, yes, NULL);
#else
	(void)db;
	(void)yes;
#endif
}

int pm_sqlite_guard(struct pm_db *db, int64_t limit_ms, struct pm_err *e)
{
	struct pm_sqlite *s = pm_sqlite_of(db);
	int rc = sqlite3_set_authorizer(s->handle, authorize, NULL);

	if (rc != SQLITE_OK)
		return pm_sqlite_fail(db, rc, e);
	(void)limit_ms;
	s->guarded = true;
	sqlite3_progress_handler(s->handle, STEPS, is_late, db);
	take_quoted_for_text(db, 0);
	return 0;
}

void pm_sqlite_unguard(struct pm_db *db)
{
	struct pm_sqlite *s = pm_sqlite_of(db);

	take_quoted_for_text(db, 1);
	sqlite3_progress_handler(s->handle, 0, NULL, NULL);
	sqlite3_set_authorizer(s->handle, NULL, NULL);
	s->guarded = false;
}
