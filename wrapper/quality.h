/* What record files hold, for the data-quality figures of stop. */
#ifndef PM_WRAPPER_QUALITY_H
#define PM_WRAPPER_QUALITY_H

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

#endif
