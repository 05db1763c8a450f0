/* Redact jobs in the database. */
#include "config.h"

#include "common/secrets/redact_loaded.h"

#include "common/settings/readconfig.h"
#include "db/db.h"
#include "report/select.h"
#include "submit/rows/redact.h"

#include <errno.h>

/* Redact a job in a transaction of its own. Returns 1, 0 if it was gone, or -1 with e filled. */
static int redact_job(struct pm_db *db, int64_t job, bool dry, int64_t *count, struct pm_err *e)
{
	int rc = pm_db_begin(db, e);

	if (rc < 0)
		return -1;
	rc = pm_redact_job(db, job, count, e);
	if (rc > 0 && !dry && pm_db_commit(db, e) < 0)
		rc = -1;
	if (rc <= 0 || dry)
		pm_db_rollback(db);
	return rc;
}

int pm_redact_loaded(const char *operand, bool dry, int64_t *count, struct pm_err *e)
{
	struct pm_db *db = NULL;
	int64_t job = 0;
	int rc;

	*count = 0;
	errno = 0;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_CHANGE, e) < 0)
		return errno == ENOENT ? 1 : -1;
	rc = pm_select_named(db, operand, &job, e);
	if (rc <= 0) {
		pm_db_close(db);
		return rc == 0 ? 1 : -1;
	}
	rc = redact_job(db, job, dry, count, e);
	if (rc == 0)
		rc = pm_err(e, "another process has deleted it");
	/* The old text stays in the file until its pages are reused or vacuumed. */
	if (rc > 0 && !dry && *count > 0 && pm_db_compact(db, e) < 0)
		rc = pm_err_prefix(e,
				   "its rows are redacted, but their old text may remain in free "
				   "space of the database");
	if (rc < 0)
		pm_err_prefix(e, "redact job #%lld in %s", (long long)job, pm_db_name(db));
	pm_db_close(db);
	return rc < 0 ? -1 : 0;
}
