/* The GPUs of hosts, below the table of `perfmon list hosts`. */
#ifndef PM_REPORT_LIST_GPUS_H
#define PM_REPORT_LIST_GPUS_H

#include "report/list_tables.h"

/* Print the GPUs of the hosts that are asked for, after an empty line; nothing where there is none.
 * Returns 0 or -1 with e filled. */
int pm_list_gpus(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		 struct pm_err *e);

#endif
