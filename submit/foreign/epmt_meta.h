/* EPMT's job metadata as perfmon's own: the text of a job-HOST.json. */
#ifndef PM_SUBMIT_FOREIGN_EPMT_META_H
#define PM_SUBMIT_FOREIGN_EPMT_META_H

#include "common/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Convert job_metadata, a pickle. Secrets in its environments are redacted. Returns 0 with *text to
 * be freed, or -1 with e filled: not a pickle of data, or no metadata of a job.
 */
int pm_epmt_meta_pickle(const void *data, size_t n, char **text, struct pm_err *e);

/*
 * Convert an object: keys of common/record/epmt.def with their values, times made by pm_epmt_meta_time.
 * Returns 0 with *text to be freed, or -1 with e filled.
 */
int pm_epmt_meta_object(const json_t *object, char **text, struct pm_err *e);

/* Make a time for such an object: microseconds since 1970 of the local time in a named zone, or in
 * UTC if zone is "UTC". NULL: the zone in the job's variable TZ or TIMEZONE, else that of this
 * program. */
json_t *pm_epmt_meta_time(int64_t clock_us, const char *zone);

/* Convert such a time to UTC, microseconds since 1970; `object` has the job's environment. */
int64_t pm_epmt_meta_utc(const json_t *object, const json_t *time);

/* Make a JSON string of any bytes: text that is not UTF-8 is escaped as TSV text. NULL: no memory.
 */
json_t *pm_epmt_meta_string(const char *p, size_t n);

#endif
