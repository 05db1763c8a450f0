/* The id of a job, and its begin. */
#include "config.h"

#include "export/layout/jobname.h"

#include "common/bytes.h"
#include "common/utf8.h"

#include <string.h>

int pm_jobname_read(struct pm_db *db, int64_t job, char **jobid, int64_t *start_us,
		    struct pm_err *e)
{
	struct pm_bytes name = { .p = NULL };
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT jobid, start_us FROM job WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc == 0)
		rc = pm_err(e, "the job was deleted meanwhile");
	if (rc > 0) {
		size_t n = 0;
		const char *p = pm_db_text(q, 0, &n);

		pm_utf8_add(&name, p ? p : "", p ? strnlen(p, n) : 0);
		pm_bytes_byte(&name, 0);
		*start_us = pm_db_type(q, 1) == PM_DB_INTEGER ? pm_db_int(q, 1) : INT64_MIN;
		rc = name.failed ? pm_err(e, "out of memory") : 0;
	}
	pm_db_finish(q);
	if (rc < 0)
		pm_bytes_free(&name);
	else
		*jobid = (char *)name.p;
	return rc;
}
