/* Write the annotations of a job to its row. */
#include "config.h"

#include "db/annotations.h"

#include <jansson.h>
#include <stdlib.h>

/* Collect the annotations of a job. Returns 0 or -1 with e filled. */
static int collect(struct pm_db *db, int64_t job, json_t *map, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT name, value FROM annotation WHERE job_id = ? ORDER BY name",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0)
		json_object_set_new(map, pm_db_text(q, 0, NULL),
				    pm_db_is_null(q, 1) ? json_null()
							: json_string(pm_db_text(q, 1, NULL)));
	pm_db_finish(q);
	return rc;
}

/* A job that never had annotations has no text of them. */
static int write_text(struct pm_db *db, int64_t job, const char *text, bool any, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  any ? "UPDATE job SET annotations = ? WHERE id = ?"
			      : "UPDATE job SET annotations = ? WHERE id = ? AND annotations IS "
				"NOT NULL",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, text);
	pm_db_bind_int(q, 2, job);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_annotations_store(struct pm_db *db, int64_t job, struct pm_err *e)
{
	json_t *map = json_object();
	char *text = NULL;
	int rc = map ? collect(db, job, map, e) : pm_err(e, "out of memory");

	if (rc == 0) {
		text = json_dumps(map, JSON_COMPACT);
		rc = text ? write_text(db, job, text, json_object_size(map) > 0, e)
			  : pm_err(e, "out of memory");
	}
	free(text);
	json_decref(map);
	return rc;
}
