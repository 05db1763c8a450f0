/* The processes of a job that run on this host, by /proc. */
#ifndef PM_REPORT_TOP_LIVE_H
#define PM_REPORT_TOP_LIVE_H

#include "report/top/model.h"

/* Processes that are read at most at once. */
#define PM_TOP_LIVE_MAX 2000

/* Read what those have used that records tell of, and end those that are gone. Returns whether all
 * that run here were read. */
bool pm_top_live_read(struct pm_top_model *m);

#endif
