/* The contents of record files: the data-quality figures of stop, and images that have not ended.
 * Programs only. */
#ifndef PM_COMMON_JOB_QUALITY_H
#define PM_COMMON_JOB_QUALITY_H

#include "common/err.h"

#include <stdint.h>

struct pm_quality {
	int64_t files;
	int64_t bytes;
	int64_t records;     /* valid record lines */
	int64_t without_end; /* images with a start and no end */
};

/*
 * Count this host's record files (<host>-*.tsv) in an open job directory. Damaged lines count
 * in bytes alone. Returns 0 or -1 with e filled.
 */
int pm_quality_count(int dir, const char *host, struct pm_quality *q, struct pm_err *e);

/* An image that has a start record and no end. */
struct pm_quality_image {
	int64_t pid, starttime, pid_ns; /* -1: not known */
};

/*
 * Read the record files of `host`, or of every host if it is NULL, and call fn for each image of
 * this boot that has a start and no end record, until fn returns a value other than 0. Returns 0,
 * what fn returned, or -1 with e filled.
 */
typedef int pm_quality_fn(void *ctx, const struct pm_quality_image *image);
int pm_quality_each_open(int dir, const char *host, pm_quality_fn *fn, void *ctx, struct pm_err *e);

#endif
