/* Advice from counters, and on how far figures can be trusted. */
#include "config.h"

#include "report/advice/rule.h"

#include "common/safe/uncounted.h"

#include <math.h>
#include <string.h>

/* A good part of the job's CPU time is missing from the records. */
bool pm_advice_low_coverage(const struct pm_facts *f, struct pm_advice *a)
{
	char c[PM_FORMAT_MAX], t[PM_FORMAT_MAX];

	if (!(f->coverage < 0.8) || f->charged_us < PM_ADVICE_MIN_CPU_US)
		return false;
	pm_advice_cost_share(a, f, 1 - f->coverage);
	return pm_advice_say(
		a,
		"Only %s of the job's CPU time (%s) is recorded here; read the figures "
		"accordingly. Statically linked programs, set-uid programs and those that "
		"clear their environment are not seen.",
		pm_format_share(c, f->coverage), pm_format_duration(t, f->charged_us));
}

/* A metric of the job in any domain, NULL unless it is known for at least half of the processes. */
static const struct pm_fact_metric *find_metric(const struct pm_facts *f, const char *id)
{
	for (size_t i = 0; i < f->metrics; i++)
		if (strcmp(f->metric[i].info->id, id) == 0 && !isnan(f->metric[i].value) &&
		    2 * f->metric[i].processes >= f->counted)
			return &f->metric[i];
	return NULL;
}

/* Cycles that a miss of the last-level cache costs, about. */
#define MISS_CYCLES 200

/* Few instructions per cycle and many last-level cache misses: programs wait for memory. Ten
 * misses per 1000 instructions add 2 cycles to each instruction. What better code may save is at
 * most the part of the cycles in which nothing was completed. */
bool pm_advice_memory_bound(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_metric *ipc = find_metric(f, "ipc"),
				    *misses = find_metric(f, "llc_mpki");
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];
	double stalled;

	if (!ipc || !misses || ipc->value >= 0.8 || misses->value < 10)
		return false;
	/* Cycles lost per instruction, times instructions per cycle: the share of the cycles. */
	stalled = misses->value / 1000 * MISS_CYCLES * ipc->value;
	pm_advice_cost_share(a, f, stalled < 1 - ipc->value ? stalled : 1 - ipc->value);
	return pm_advice_say(
		a,
		"Programs completed only %s instructions per cycle and missed the last-level "
		"cache %s times per 1000 instructions: they wait for memory. Work on smaller "
		"blocks, or access data in the order in which they lie in memory.",
		pm_format_number(n, ipc->value), pm_format_number(m, misses->value));
}

/* An event was counted less than half of the time: where programs change their behaviour, its
 * extrapolated count is mostly a guess. */
bool pm_advice_multiplexed(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_counter *worst = NULL;
	char s[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->counters; i++)
		if (f->counter[i].known && f->counter[i].ratio < 0.5 &&
		    (!worst || f->counter[i].ratio < worst->ratio))
			worst = &f->counter[i];
	if (!worst)
		return false;
	return pm_advice_say(
		a,
		"There were more events than the processor counts at once: in some process %s "
		"was counted only %s of the time and scaled up. For exact figures, count fewer "
		"events per job.",
		worst->name, pm_format_share(s, worst->ratio));
}

/* At least a tenth of the processes lost counters, more than an occasional daemon. */
bool pm_advice_counters_closed(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];
	int64_t closed = 0;

	for (size_t i = 0; i < f->counters; i++)
		for (size_t k = 0; k < f->counter[i].reasons; k++)
			if (strcmp(f->counter[i].reason[k].text, PM_UNCOUNTED_TEXT(closed)) == 0 &&
			    f->counter[i].reason[k].count > closed)
				closed = f->counter[i].reason[k].count;
	if (closed == 0 || 10 * closed < f->counted)
		return false;
	return pm_advice_say(
		a,
		"Counters were lost in %s of %s processes: the programs closed descriptors that "
		"they had not opened, or reused their numbers. The totals leave these processes "
		"out.",
		pm_format_count(n, closed), pm_format_count(m, f->counted));
}
