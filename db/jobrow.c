/* Queries by the identity of a job. */
#include "config.h"

#include "db/jobrow.h"

#include <stdio.h>

int pm_jobrow_bind(struct pm_stmt *q, int at, const struct pm_jobidentity *id)
{
	if (id->user)
		pm_db_bind_str(q, at++, id->user);
	pm_db_bind_str(q, at++, id->cluster);
	pm_db_bind_str(q, at++, id->jobid);
	pm_db_bind_str(q, at++, id->array_task);
	pm_db_bind_int(q, at++, id->restart_count);
	return at;
}

int64_t pm_jobrow_find(struct pm_db *db, const struct pm_jobidentity *id, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t row;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job WHERE " PM_JOBIDENTITY_IS(""), &q, e) < 0)
		return -1;
	pm_db_bind_int(q, pm_jobrow_bind(q, 1, id), id->epoch_us);
	rc = pm_db_step(q, e);
	row = rc > 0 ? pm_db_int(q, 0) : rc;
	pm_db_finish(q);
	return row;
}

int pm_jobrow_lock_notes(struct pm_db *db, int64_t job, struct pm_err *e)
{
	char name[48];

	snprintf(name, sizeof name, "annotations %lld", (long long)job);
	return pm_db_lock(db, name, e);
}
