/*
 * The server queues sessions that wait for a lock, without a word to them. So we poll for the lock
 * at first, and report a longer wait before we join the queue.
 */
#include "config.h"

#include "db/postgres/lock.h"

#include "db/waiting.h"

#include <unistd.h>

#define ASK_AGAIN_MS 50

/* Run one of the functions that lock. Returns 1 with the lock, 0 if another session holds it, or -1
 * with e filled. */
static int run_lock(struct pm_db *db, const char *sql, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, name);
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = pm_db_int(q, 0) != 0;
	pm_db_finish(q);
	return rc;
}

int pm_pglock_take(struct pm_db *db, const char *name, int at_most_ms, struct pm_err *e)
{
	const int soon_ms = at_most_ms < PM_WAITING_TELL_MS ? at_most_ms : PM_WAITING_TELL_MS;
	int rc;

	for (int ms = 0;; ms += ASK_AGAIN_MS) {
		rc = run_lock(db,
			      "SELECT CASE WHEN pg_try_advisory_xact_lock(hashtextextended(?, 0))"
			      " THEN 1 ELSE 0 END",
			      name, e);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		if (ms >= soon_ms)
			break;
		usleep(ASK_AGAIN_MS * 1000);
	}
	if (at_most_ms > soon_ms)
		pm_waiting_tell(pm_db_name(db), "another session", at_most_ms);
	rc = run_lock(db,
		      "SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(?, 0))) locked",
		      name, e);
	return rc < 0 ? -1 : 0;
}
