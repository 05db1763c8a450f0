/* The engine's own checks. */
#include "config.h"

#include "db/integrity.h"

#include "db/engine.h"

int pm_integrity_database(struct pm_db *db,
			  int (*each)(void *ctx, const char *complaint, struct pm_err *e),
			  void *ctx, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (!db->engine->complaints)
		return 0;
	if (pm_db_prepare(db, db->engine->complaints, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (each(ctx, pm_db_text(q, 0, NULL), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}
