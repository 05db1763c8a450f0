/* The report: ranks of parallel programs, hosts and steps of the batch system. */
#ifndef PM_REPORT_JOB_REPORT_RANKS_H
#define PM_REPORT_JOB_REPORT_RANKS_H

#include "report/print/page.h"
#include "report/facts/facts.h"

#include <jansson.h>

/* Print the sections; none where there is nothing to compare. Returns 0, or -1 if out of memory. */
int pm_report_ranks(const struct pm_page *p, const struct pm_facts *f);

/* The same as an object. Returns a new reference, NULL if out of memory. */
json_t *pm_report_ranks_json(const struct pm_facts *f);

#endif
