/* Remove secrets from the rows of a loaded job and from the kept content of its files. Programs
 * only. */
#ifndef PM_SUBMIT_REDACT_H
#define PM_SUBMIT_REDACT_H

#include "db/db.h"

#include <stdint.h>

/*
 * Replace the secrets of a job inside the caller's transaction: arguments and tags of processes,
 * commands, environments, facts, tags, annotations, names, rejected lines, kept content of files, whose digests become
 * those of the files that pm_redact_file_new() makes of them. Returns 1 with *count how many there
 * were, 0 where there is no such job, or -1 with e filled.
 */
int pm_redact_job(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e);

#endif
