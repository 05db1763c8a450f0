/* What identifies a job in databases and among sources. Programs only. */
#ifndef PM_COMMON_JOB_JOBIDENTITY_H
#define PM_COMMON_JOB_JOBIDENTITY_H

#include "common/job/job.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_jobidentity {
	const char *cluster, *jobid, *array_task;
	const char *user; /* NULL where all jobs are of one user, whom the uid tells */
	int64_t restart_count, epoch_us;
};

/* The columns of table `job` with these values. */
#define PM_JOBIDENTITY_COLUMNS "cluster, \"user\", jobid, array_task, restart_count, epoch_us"

/* The same in the order of their index: there jobs that were submitted one after the other stand
 * side by side, and the beginning finds a job by its id. */
#define PM_JOBIDENTITY_KEY "jobid, array_task, \"user\", cluster, restart_count, epoch_us"

/*
 * SQL conditions with a parameter for each value, p being the table's name with a point, or "":
 * a job of a user who is known otherwise, whatever its epoch; the same with the user; one job.
 */
#define PM_JOBIDENTITY_IS_USERS(p)                                                                 \
	p "cluster = ? AND " p "jobid = ? AND " p "array_task = ? AND " p "restart_count = ?"
#define PM_JOBIDENTITY_IS_ANY(p) p "\"user\" = ? AND " PM_JOBIDENTITY_IS_USERS(p)
#define PM_JOBIDENTITY_IS(p)     PM_JOBIDENTITY_IS_ANY(p) " AND " p "epoch_us = ?"

/* SQL expression: the job's id as people see it, and as directories and records have it. */
#define PM_JOBIDENTITY_SHOWN(p)                                                                    \
	"CASE WHEN " p "array_task = '' THEN " p "jobid ELSE " p "jobid || '_' || " p              \
	"array_task END"

/* Whether a key of the metadata is one of the values. */
bool pm_jobidentity_has(enum pm_job_key key);

/* One text for an identity, equal for equal ones alone: no value contains its separator. To be
 * freed; NULL if out of memory. */
char *pm_jobidentity_text(const struct pm_jobidentity *id);

/* Columns of table job for ORDER BY, as indexes have them: the newest first, those whose start is
 * unknown behind all others. */
#define PM_JOBIDENTITY_LATEST "start_us DESC NULLS LAST, id DESC"

#endif
