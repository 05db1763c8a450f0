/* Counters of devices that wrap, stop at their end, or are reset. */
#include "config.h"

#include "sampler/kernel/counter.h"

/* Whether a device can have counted so much since its latest value. */
static bool is_possible(const struct pm_counter_rule *rule, uint64_t counted, int64_t time_us)
{
	if (!rule->per_s)
		return counted <= rule->modulus / 2;
	return (double)counted <= (double)rule->per_s * (double)time_us / 1e6;
}

/* Whether wraps can be counted: not where the counter can have gone around in the time passed. */
static bool is_countable(const struct pm_counter_rule *rule, int64_t time_us)
{
	if (!rule->per_s || !rule->modulus || rule->saturates)
		return true;
	return (double)rule->per_s * (double)time_us / 1e6 < (double)rule->modulus;
}

bool pm_counter_next(struct pm_counter *c, const struct pm_counter_rule *rule, uint64_t raw,
		     int64_t time_us, uint64_t *count)
{
	const bool fell = c->held && raw < c->raw;
	const uint64_t wrapped = rule->modulus - c->raw + raw;
	bool known = true;

	/* Its end tells neither how long the counter has stood there nor what came since. */
	if (rule->saturates && raw == rule->modulus - 1)
		return false;
	if (c->restarted) {
		c->restarted = false;
		known = false;
	} else if (c->held && !is_countable(rule, time_us - c->time_us)) {
		c->base += fell ? c->raw : 0;
		known = false;
	} else if (fell && rule->modulus && !rule->saturates && c->raw < rule->modulus &&
		   is_possible(rule, wrapped, time_us - c->time_us)) {
		c->base += rule->modulus;
	} else if (fell) {
		c->base += c->raw;
		known = false;
	}
	c->held = true;
	c->raw = raw;
	c->time_us = time_us;
	*count = c->base + raw;
	return known;
}

void pm_counter_restart(struct pm_counter *c)
{
	if (!c->held)
		return;
	c->base += c->raw;
	c->raw = 0;
	c->restarted = true;
}
