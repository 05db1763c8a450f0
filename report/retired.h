/* Tell of jobs whose processes were retired, so that they do not look like jobs without any. */
#ifndef PM_REPORT_RETIRED_H
#define PM_REPORT_RETIRED_H

#include <stdint.h>

/* Warn that the processes of so many jobs are not among what was printed; of 0, nothing. */
void pm_retired_warn(int64_t jobs);

#endif
