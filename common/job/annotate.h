/*
 * Annotations: name-value pairs that people attach to a job. The verb belongs to the wrapper and
 * handles jobs in directories and archives; report/annotate.c handles jobs in the database.
 * Programs only.
 */
#ifndef PM_COMMON_JOB_ANNOTATE_H
#define PM_COMMON_JOB_ANNOTATE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest name in bytes: the limit for a key in the database. */
#define PM_ANNOTATION_NAME 512

/* The annotation whose value, NAME:VALUE;NAME:VALUE, also becomes the tags of the job, in place of
 * those it has, as in EPMT. */
#define PM_ANNOTATION_TAGS "EPMT_JOB_TAGS"

struct pm_annotation {
	const char *name;
	const char *value;
};

/*
 * Attach n annotations to the job in the database that `operand` names (JOBID, JOBID_TASK,
 * USER/JOBID, CLUSTER/USER/JOBID, #NUMBER). With `replace` they replace all annotations of the job.
 * Returns 0; 1 where there is no database or the job is not in it; -1 on any other error. e is
 * filled for 1 and -1.
 */
int pm_annotate_loaded(const char *operand, const struct pm_annotation *list, size_t n,
		       bool replace, struct pm_err *e);

#endif
