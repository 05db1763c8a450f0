/* EPMT's job metadata as perfmon's own: the text of a job-HOST.json. Programs only. */
#ifndef PM_EPMT_META_H
#define PM_EPMT_META_H

#include "common/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read job_metadata, a pickle. Secrets in its environments are redacted. Returns 0 with *text to be
 * freed, or -1 with e filled: not a pickle of data, or of something else.
 */
int pm_epmt_meta_pickle(const void *data, size_t n, char **text, struct pm_err *e);

/*
 * The same of an object: keys of common/epmt.def with their values, times as of pm_epmt_meta_time.
 * Returns 0 with *text to be freed, or -1 with e filled.
 */
int pm_epmt_meta_object(const json_t *object, char **text, struct pm_err *e);

/* A time for such an object: microseconds since 1970 as a clock shows it in a time zone of that
 * name, or in UTC where zone is "UTC"; NULL: in the zone of the job's variable TZ or TIMEZONE, else
 * in that of this program. */
json_t *pm_epmt_meta_time(int64_t clock_us, const char *zone);

/* What such a time is in UTC, microseconds; `object` is where the job's environment is. */
int64_t pm_epmt_meta_utc(const json_t *object, const json_t *time);

/* A JSON string of any bytes: what is not UTF-8 is escaped as TSV text. NULL: no memory. */
json_t *pm_epmt_meta_string(const char *p, size_t n);

#endif
