/* Remove secrets from job directories and archives. */
#ifndef PM_WRAPPER_STAGE_REDACT_H
#define PM_WRAPPER_STAGE_REDACT_H

#include "common/job/jobdir.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Replace the secrets in record files and metadata of an open job directory. A new file is written
 * and takes the name of the old one; records that processes append meanwhile are also copied and
 * redacted. With `dry` nothing is changed. Returns 0 with *count the number of secrets found, or -1
 * with e filled.
 */
int pm_redact_directory(const struct pm_jobdir *d, bool dry, int64_t *count, struct pm_err *e);

/* Like pm_redact_directory, but for an archive of one job, which pm_repack() replaces. */
int pm_redact_archive(const char *path, bool dry, int64_t *count, struct pm_err *e);

#endif
