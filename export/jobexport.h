/* What the verb export writes of one job as a whole. */
#ifndef PM_EXPORT_JOBEXPORT_H
#define PM_EXPORT_JOBEXPORT_H

#include "common/cli/verb.h"
#include "common/err.h"

#include <stdbool.h>

/* Whether a kind of export is of a job as a whole: trace, folded. */
bool pm_jobexport_knows(const char *kind);

/* Write it of the job that the operand behind the kind, or --job, names, else of the newest one.
 * Returns PM_EXIT_OK, or another exit status with e filled. */
int pm_jobexport(const struct pm_cli *cli, struct pm_err *e);

#endif
