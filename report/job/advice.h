/* Advice: rules that check the facts of a job and report, with figures, what stands out. */
#ifndef PM_REPORT_JOB_ADVICE_H
#define PM_REPORT_JOB_ADVICE_H

#include "report/query/facts.h"

#define PM_ADVICE_MAX 512

/* Jobs below either limit are too small for advice on performance: their figures are noise. */
#define PM_ADVICE_MIN_WALL_US 5000000
#define PM_ADVICE_MIN_CPU_US  1000000

struct pm_advice_rule {
	const char *id; /* stable name, for JSON */
	bool any_size;  /* applies to small jobs, too */
	/* Writes one or two sentences of safe text into PM_ADVICE_MAX bytes and returns true, or
	 * returns false where the rule does not apply or its facts are unknown. */
	bool (*say)(const struct pm_facts *f, char *text);
};

/* All rules, the most important first, terminated by an id of NULL. */
extern const struct pm_advice_rule pm_advice_rules[];

/* Apply one rule, unless the job is too small for it. Returns the result of the rule's `say`, or
 * false. */
bool pm_advice(const struct pm_advice_rule *rule, const struct pm_facts *f, char *text);

/* Whether the job is big enough for advice on performance. */
bool pm_advice_big_enough(const struct pm_facts *f);

#endif
