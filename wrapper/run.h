/* What perfmon run does where it can do nothing else. */
#ifndef PM_WRAPPER_RUN_H
#define PM_WRAPPER_RUN_H

#include "common/verb.h"

/* From here on a command that could not be recorded for want of memory is run unrecorded. `cli` has
 * to stay. */
void pm_run_anyway(const struct pm_cli *cli);

#endif
