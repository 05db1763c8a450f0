/* Jobs that an operand may have meant, for error messages. */
#ifndef PM_REPORT_CANDIDATES_H
#define PM_REPORT_CANDIDATES_H

#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>

/* The columns of table job that pm_candidates_append() shows. */
#define PM_CANDIDATES_COLUMNS "id, cluster, \"user\", jobid, array_task, start_us, name"

/* Append " #12 alice/4711 (2026-..., name)" for the job in the current row to the message in e,
 * after a comma unless it is the first. */
void pm_candidates_append(struct pm_stmt *q, bool first, struct pm_err *e);

/* Append jobs whose number, id or name is like this id, then the newest ones, to the message in e.
 * Returns -1. */
int pm_candidates_similar(struct pm_db *db, const char *jobid, struct pm_err *e);

#endif
