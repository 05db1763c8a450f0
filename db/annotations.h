/* Annotations and tags of a job: tables annotation and tag_set, and the same as JSON in the job's
 * row. */
#ifndef PM_DB_ANNOTATIONS_H
#define PM_DB_ANNOTATIONS_H

#include "db/db.h"

/* Write the job's rows of table annotation to its row, inside the caller's transaction; where
 * there are none, and were none, NULL stays there. Returns 0 or -1 with e filled. */
int pm_annotations_store(struct pm_db *db, int64_t job, struct pm_err *e);

/* Replace the tags of the job itself by NAME:VALUE;NAME:VALUE, of which the last of a name wins and
 * a bare name has the value 1; inside the caller's transaction. Returns 0 or -1 with e filled. */
int pm_annotations_set_tags(struct pm_db *db, int64_t job, const char *tags, struct pm_err *e);

#endif
