/* Look for tables of EPMT. */
#include "config.h"

#include "submit/foreign/epmt_tables.h"

int pm_epmt_tables(struct pm_db *db, const char *one, const char *other, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
			  "name IN (?, ?) AND sql LIKE 'CREATE TABLE%'",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, one);
	pm_db_bind_str(q, 2, other);
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = pm_db_int(q, 0) == 2;
	pm_db_finish(q);
	return rc;
}
