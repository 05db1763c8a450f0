/* Count the jobs whose processes were retired. */
#include "config.h"

#include "analysis/select/retired.h"

#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>

/* Ids in a statement. */
#define IDS 1000

int pm_retired_count(struct pm_db *db, const struct pm_jobfilter *f, int64_t *retired,
		     struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	*retired = 0;
	if (asprintf(&sql, "SELECT count(*) FROM job%s%s%s", f->where,
		     *f->where ? " AND " : " WHERE ", PM_SCHEMA_JOB_RETIRED("")) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_jobfilter_bind(f, q, 1);
	rc = pm_db_step(q, e);
	if (rc > 0)
		*retired = pm_db_int(q, 0);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_retired_among(struct pm_db *db, const int64_t *id, size_t n, int64_t *retired,
		     struct pm_err *e)
{
	int rc = 0;

	*retired = 0;
	for (size_t done = 0; rc == 0 && done < n; done += IDS) {
		struct pm_jobfilter f;
		int64_t some = 0;

		rc = pm_jobfilter_ids(&f, id + done, n - done < IDS ? n - done : IDS, e);
		if (rc == 0)
			rc = pm_retired_count(db, &f, &some, e);
		pm_jobfilter_free(&f);
		*retired += some;
	}
	return rc;
}
