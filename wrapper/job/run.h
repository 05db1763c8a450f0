/* Let `perfmon run` survive a lack of memory. */
#ifndef PM_WRAPPER_JOB_RUN_H
#define PM_WRAPPER_JOB_RUN_H

#include "common/cli/verb.h"

/* From here on, run the command unrecorded if memory runs out. `cli` must stay valid. */
void pm_run_anyway(const struct pm_cli *cli);

#endif
