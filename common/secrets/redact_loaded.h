/*
 * Redact jobs in the database (manage/redact.c). The verb itself belongs to the wrapper, which
 * redacts directories and archives. Programs only.
 */
#ifndef PM_COMMON_SECRETS_REDACT_LOADED_H
#define PM_COMMON_SECRETS_REDACT_LOADED_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Replace the secrets of the job in the database that `operand` names (JOBID, JOBID_TASK,
 * USER/JOBID, CLUSTER/USER/JOBID, #NUMBER), and free the space that they occupied; with `dry` only
 * count them. Returns 0 with *count the number of secrets; 1 where there is no database or the job
 * is not in it; -1 on any other error. e is filled for 1 and -1.
 */
int pm_redact_loaded(const char *operand, bool dry, int64_t *count, struct pm_err *e);

#endif
