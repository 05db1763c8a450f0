/* Remove secrets from job directories and archives. */
#ifndef PM_WRAPPER_REDACT_H
#define PM_WRAPPER_REDACT_H

#include "common/jobdir.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Replace the secrets in record files and metadata of an open job directory. Each file is written
 * anew and takes the name of the old one; records that processes append meanwhile are carried over,
 * redacted. With `dry` nothing is changed. Returns 0 with *count how many secrets there were, or -1
 * with e filled.
 */
int pm_redact_directory(const struct pm_jobdir *d, bool dry, int64_t *count, struct pm_err *e);

/* The same for an archive of one job, as pm_repack() does it. */
int pm_redact_archive(const char *path, bool dry, int64_t *count, struct pm_err *e);

#endif
