/* Write what EPMT's analyses found of a job. */
#include "config.h"

#include "submit/analyses.h"

#include "submit/foreign/epmt_rows.h"

#include <jansson.h>
#include <stdlib.h>

int pm_analyses_write(struct pm_db *db, int64_t job, const char *text, struct pm_err *e)
{
	json_t *all = pm_epmt_rows_json(text), *value;
	struct pm_stmt *q = NULL;
	const char *name;
	int rc = pm_db_prepare(db,
			       "INSERT INTO analysis (job_id, name, model, result) VALUES (?, ?, "
			       "'', ?) ON CONFLICT (job_id, name, model) DO UPDATE SET result = "
			       "excluded.result",
			       &q, e);

	json_object_foreach (all, name, value) {
		char *result = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

		if (rc == 0 && !result)
			rc = pm_err(e, "out of memory");
		if (rc == 0) {
			pm_db_bind_int(q, 1, job);
			pm_db_bind_str(q, 2, name);
			pm_db_bind_str(q, 3, result);
			rc = pm_db_run(q, e);
		}
		free(result);
	}
	pm_db_finish(q);
	json_decref(all);
	return rc;
}
