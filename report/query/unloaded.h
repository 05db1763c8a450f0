/* Find jobs of this user that are recorded but not loaded into the database. */
#ifndef PM_REPORT_QUERY_UNLOADED_H
#define PM_REPORT_QUERY_UNLOADED_H

#include "common/err.h"

#include <limits.h>
#include <stdint.h>

/*
 * Find the directory of the job with this name (NULL: any) that started last, if it started after
 * `after_us` (us since 1970; INT64_MIN also accepts an unknown start). path (PATH_MAX bytes) gets
 * the directory. Returns 1; 0 where there is none; -1 with e filled.
 */
int pm_unloaded_find(const char *name, int64_t after_us, char *path, struct pm_err *e);

#endif
