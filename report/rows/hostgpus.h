/* The GPUs of a job's hosts: what was known as the job began, and what the sampler adds. */
#ifndef PM_REPORT_ROWS_HOSTGPUS_H
#define PM_REPORT_ROWS_HOSTGPUS_H

#include "common/job/gpu.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>

/* Receives the GPUs of a host, whose texts are safe for a terminal. Returns 0 or -1 with e filled.
 */
typedef int pm_hostgpus_fn(void *ctx, int64_t host, const char *hostname, const struct pm_gpu *gpu,
			   size_t n, struct pm_err *e);

/* Read the GPUs of each host that has any, in the order of the hosts. A memory or a power limit
 * that is unknown is the largest that the sampler saw of the GPU. Returns 0, or -1 with e filled or
 * if `each` does. */
int pm_query_hostgpus(struct pm_db *db, int64_t job, bool utf8, pm_hostgpus_fn *each, void *ctx,
		      struct pm_err *e);

#endif
