/* Advice: rules that look at the facts of a job and say, with figures, what stands out. */
#ifndef PM_ADVICE_H
#define PM_ADVICE_H

#include "report/facts.h"

#define PM_ADVICE_MAX 512

/* Jobs below both are too small for advice on performance: noise would speak. */
#define PM_ADVICE_MIN_WALL_US 5000000
#define PM_ADVICE_MIN_CPU_US  1000000

struct pm_advice_rule {
	const char *id; /* stable name, for JSON */
	bool any_size;  /* speaks for small jobs too */
	/* Writes one or two sentences of safe text into PM_ADVICE_MAX bytes and returns true, or
	 * returns false: the rule has nothing to say, or what it needs is unknown. */
	bool (*say)(const struct pm_facts *f, char *text);
};

/* Every rule, the most important first; ends with an id of NULL. */
extern const struct pm_advice_rule pm_advice_rules[];

/* Apply one rule, the size of the job respected. Returns as the rule's say. */
bool pm_advice(const struct pm_advice_rule *rule, const struct pm_facts *f, char *text);

/* Whether the job is big enough for advice on performance. */
bool pm_advice_big_enough(const struct pm_facts *f);

#endif
