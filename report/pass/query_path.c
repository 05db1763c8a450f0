/* Facts of a job: its critical path. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/pass/processparts.h"

#include <stdlib.h>

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct pm_criticalpath_reading *reading;
	int rc;

	j->f->path = calloc(1, sizeof *j->f->path);
	if (!j->f->path)
		return pm_err(e, "critical path: out of memory");
	rc = pm_criticalpath_begin(&reading, j->f->path, j->db, j->job, e);
	*part = reading;
	return rc;
}

static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	return pm_criticalpath_finish(part, j->db, j->job, j->utf8, j->labels, e);
}

const struct pm_processpart pm_processpart_path = { begin, pm_criticalpath_take, finish,
						    pm_criticalpath_end };
