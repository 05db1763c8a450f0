/* A picture of a job that has no directory any more: of what the database has. */
#ifndef PM_REPORT_TOP_LOADED_H
#define PM_REPORT_TOP_LOADED_H

#include "common/cli/verb.h"
#include "report/print/page.h"

#include <stdint.h>

/* Print one picture of the job, as text or JSON. Returns an exit status, with e filled unless it is
 * 0. */
int pm_top_loaded(const struct pm_cli *cli, const char *operand, const struct pm_page *page,
		  int64_t limit, struct pm_err *e);

#endif
