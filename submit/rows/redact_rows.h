/* Remove secrets from rows of a loaded job whose key includes a text. */
#ifndef PM_SUBMIT_ROWS_REDACT_ROWS_H
#define PM_SUBMIT_ROWS_REDACT_ROWS_H

#include "db/db.h"

#include <stdint.h>

/* Replace the secrets in names and values of annotations and tags, and in names of phases, inside
 * the caller's transaction. Returns 0, adding the number of secrets to *count, or -1 with e filled.
 */
int pm_redact_rows(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e);

#endif
