/* The user's jobs wherever they are: what `status` prints. */
#ifndef PM_STATUS_H
#define PM_STATUS_H

#include "common/err.h"

#include <jansson.h>
#include <stdint.h>

/*
 * Each adds to `jobs`, an object of objects by the job's key: jobid, array_task, restart_count,
 * cluster, epoch_us, name, start_us, hosts, and what its source knows. The first two look at
 * directories (open, stale, why, directory) and at archives in the setting stage_to (archives), the
 * third at the database (loaded, number, rejected): at those that the others found, and at most
 * `limit` of its newest jobs.
 * Returns 0 or -1 with e filled. No database is no failure.
 */
int pm_status_recorded(json_t *jobs, struct pm_err *e);
int pm_status_staged(json_t *jobs, struct pm_err *e);
int pm_status_loaded(json_t *jobs, int64_t limit, struct pm_err *e);

#endif
