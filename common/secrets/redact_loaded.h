/*
 * Redact jobs in the database (manage/redact.c). The verb itself is in the wrapper, which redacts
 * directories and archives. Programs only.
 */
#ifndef PM_REDACT_LOADED_H
#define PM_REDACT_LOADED_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Replace the secrets of the job of the database that `operand` names (JOBID, JOBID_TASK,
 * USER/JOBID, CLUSTER/USER/JOBID, #NUMBER), and free the space that they occupied; with `dry` only
 * count them. Returns 0 with *count how many there were; 1 where there is no database or no such
 * job in it, and -1, both with e filled.
 */
int pm_redact_loaded(const char *operand, bool dry, int64_t *count, struct pm_err *e);

#endif
