/* Facts of a job: its critical path. */
#include "config.h"

#include "report/query/query.h"

#include <stdlib.h>

int pm_query_path(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	f->path = calloc(1, sizeof *f->path);
	if (!f->path)
		return pm_err(e, "critical path: out of memory");
	return pm_criticalpath_read(f->path, db, job, utf8, e);
}
