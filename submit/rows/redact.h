/* Remove secrets from the rows of a loaded job and from the stored content of its files. */
#ifndef PM_SUBMIT_ROWS_REDACT_H
#define PM_SUBMIT_ROWS_REDACT_H

#include "db/db.h"

#include <stdint.h>

/*
 * Replace the secrets of a job inside the caller's transaction: arguments and tags of processes,
 * commands, environments, facts, tags, annotations, names, labels of programs, rejected lines and
 * stored content of files. The files' digests become those of the output of pm_redact_file_new().
 * Returns 1 with *count the number of secrets replaced, 0 if there is no such job, or -1 with e
 * filled.
 */
int pm_redact_job(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e);

#endif
