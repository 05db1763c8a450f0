/* Annotations of a job: table annotation, and the same as JSON in the job's row. */
#ifndef PM_DB_ANNOTATIONS_H
#define PM_DB_ANNOTATIONS_H

#include "db/db.h"

/* Write the job's rows of table annotation to its row, inside the caller's transaction; where
 * there are none, and were none, NULL stays there. Returns 0 or -1 with e filled. */
int pm_annotations_store(struct pm_db *db, int64_t job, struct pm_err *e);

#endif
