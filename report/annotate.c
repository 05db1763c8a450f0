/* Annotations of loaded jobs. */
#include "config.h"

#include "common/job/annotate.h"

#include "report/select.h"

#include "common/settings/readconfig.h"
#include "db/annotations.h"
#include "db/db.h"
#include "db/jobrow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Run a statement for the job; binds the name and value of `a` unless it is NULL. */
static int run_statement(struct pm_db *db, const char *sql, int64_t job,
			 const struct pm_annotation *a, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	if (a) {
		pm_db_bind_str(q, 2, a->name);
		pm_db_bind_str(q, 3, a->value);
	}
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

static int write_annotations(struct pm_db *db, int64_t job, const struct pm_annotation *list,
			     size_t n, bool replace, struct pm_err *e)
{
	if (replace &&
	    run_statement(db, "DELETE FROM annotation WHERE job_id = ?", job, NULL, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (run_statement(db,
				  "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) "
				  "ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value",
				  job, &list[i], e) < 0 ||
		    (strcmp(list[i].name, PM_ANNOTATION_TAGS) == 0 &&
		     pm_annotations_set_tags(db, job, list[i].value, e) < 0))
			return -1;
	return pm_annotations_store(db, job, e);
}

int pm_annotate_loaded(const char *operand, const struct pm_annotation *list, size_t n,
		       bool replace, struct pm_err *e)
{
	const char *setting = pm_config_get(PM_SET_db);
	struct pm_db *db = NULL;
	int64_t job = 0;
	int rc;

	/* Annotating must not create a database. */
	errno = 0;
	if (pm_db_open(&db, setting, PM_DB_READ, e) < 0)
		return errno == ENOENT ? 1 : -1;
	rc = pm_select_named(db, operand, &job, e);
	pm_db_close(db);
	if (rc <= 0)
		return rc == 0 ? 1 : -1;
	if (pm_db_open(&db, setting, PM_DB_WRITE, e) < 0)
		return -1;
	rc = pm_db_begin(db, e);
	if (rc == 0) {
		rc = pm_jobrow_lock_notes(db, job, e);
		if (rc == 0)
			rc = write_annotations(db, job, list, n, replace, e);
		if (rc == 0)
			rc = pm_db_commit(db, e);
		if (rc < 0)
			pm_db_rollback(db);
	}
	if (rc < 0)
		pm_err_prefix(e, "annotate job #%lld in %s", (long long)job, pm_db_name(db));
	pm_db_close(db);
	return rc;
}
