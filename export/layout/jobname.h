/* What files are named by: the id of a job, and its begin. */
#ifndef PM_EXPORT_LAYOUT_JOBNAME_H
#define PM_EXPORT_LAYOUT_JOBNAME_H

#include "common/err.h"
#include "db/db.h"

#include <stdint.h>

/* Read the id of a job, as UTF-8, to be freed, and its begin in us since 1970, INT64_MIN where it
 * is unknown. Returns 0, or -1 with e filled. */
int pm_jobname_read(struct pm_db *db, int64_t job, char **jobid, int64_t *start_us,
		    struct pm_err *e);

#endif
