/* Remove secrets from the rows of a loaded job that have a text in their key. Programs only. */
#ifndef PM_SUBMIT_REDACT_ROWS_H
#define PM_SUBMIT_REDACT_ROWS_H

#include "db/db.h"

#include <stdint.h>

/* Replace the secrets in names and values of annotations and tags, and in names of phases, inside
 * the caller's transaction. Returns 0 with their number added to *count, or -1 with e filled. */
int pm_redact_rows(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e);

#endif
