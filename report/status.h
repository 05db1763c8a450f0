/* Find the user's jobs wherever they are, for the verb status. */
#ifndef PM_REPORT_STATUS_H
#define PM_REPORT_STATUS_H

#include "common/err.h"

#include <jansson.h>
#include <stdint.h>

/*
 * Each function adds jobs to `jobs`, an object that maps a job's key to an object with jobid,
 * array_task, restart_count, cluster, epoch_us, name, start_us, hosts, and the facts of its source.
 * pm_status_recorded() searches job directories (open, stale, directory). pm_status_staged()
 * searches archives in the setting stage_to (archives). pm_status_loaded() looks up in the database
 * (loaded, number, rejected) the jobs that the other two found, and at most `limit` of its newest
 * jobs. Returns 0 or -1 with e filled. A missing database is no failure.
 */
int pm_status_recorded(json_t *jobs, struct pm_err *e);
int pm_status_staged(json_t *jobs, struct pm_err *e);
int pm_status_loaded(json_t *jobs, int64_t limit, struct pm_err *e);

#endif
