/* Parts of the report as JSON that judge the facts, and what all parts share. */
#ifndef PM_REPORT_JOB_REPORT_JSON_JUDGED_H
#define PM_REPORT_JOB_REPORT_JSON_JUDGED_H

#include "report/print/jsonvalue.h"
#include "report/facts/facts.h"

#include <jansson.h>

/* New arrays: the six numbers with their verdicts; what was requested and used; the advice. The
 * caller owns them. */
json_t *pm_report_json_verdicts(const struct pm_facts *f);
json_t *pm_report_json_requests(const struct pm_facts *f);
json_t *pm_report_json_advice(const struct pm_facts *f);

#endif
