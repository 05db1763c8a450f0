/* Jobs of this user that are recorded but not loaded into the database. */
#ifndef PM_UNLOADED_H
#define PM_UNLOADED_H

#include "common/err.h"

#include <limits.h>
#include <stdint.h>

/*
 * Find the directory of the job that started last, among those of this name or, with NULL, all,
 * but only if after `after_us` (us since 1970; INT64_MIN: even if not known when). path (PATH_MAX
 * bytes) gets where it is. Returns 1, 0 where there is none, or -1 with e filled.
 */
int pm_unloaded_find(const char *name, int64_t after_us, char *path, struct pm_err *e);

#endif
