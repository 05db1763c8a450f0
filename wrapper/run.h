/* perfmon run. */
#ifndef PM_WRAPPER_RUN_H
#define PM_WRAPPER_RUN_H

#include "common/verb.h"

/* Owe the command to the caller: where memory is short it is run unrecorded (common/memory.h). */
void pm_run_owe(const struct pm_cli *cli);

#endif
