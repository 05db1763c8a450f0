/* Parts of the report as JSON that judge the facts, and what all parts share. */
#ifndef PM_REPORT_JOB_REPORT_JSON_JUDGED_H
#define PM_REPORT_JOB_REPORT_JSON_JUDGED_H

#include "report/query/facts.h"

#include <jansson.h>
#include <math.h>

/* New arrays: the six numbers with their verdicts; what was requested and used; the advice. The
 * caller owns them. */
json_t *pm_report_json_verdicts(const struct pm_facts *f);
json_t *pm_report_json_requests(const struct pm_facts *f);
json_t *pm_report_json_advice(const struct pm_facts *f);

/* New values; null where unknown or empty. */
static inline json_t *pm_report_json_int(int64_t v)
{
	return v == PM_UNKNOWN ? json_null() : json_integer(v);
}

static inline json_t *pm_report_json_real(double v)
{
	return isnan(v) || isinf(v) ? json_null() : json_real(v);
}

static inline json_t *pm_report_json_text(const char *s)
{
	return *s ? json_string(s) : json_null();
}

#endif
