/* The count of an event as an item of the column counters. */
#include "config.h"

#include "libperfmon/count/counteritem.h"

/* Longest value of an item after its name: =, a number, @, a ratio or a word, or ?, the kernel's or
 * PAPI's reason, and a blank. */
#define VALUE_MAX (1 + PM_BUF_NUMBER_MAX + 1 + 24 + 1)

/* Longest escape of one byte. */
#define ESCAPED_MAX 4

/* Decimal digits of a ratio. */
#define RATIO_ONE 10000

size_t pm_counteritem_room(uint32_t items, size_t bytes)
{
	return ESCAPED_MAX * bytes + VALUE_MAX * items;
}

void pm_counteritem_put(struct pm_buf *b, const struct pm_event *e, const struct pm_sum *s)
{
	if (b->len)
		pm_buf_ch(b, ' ');
	pm_buf_mem(b, e->name.p, e->name.n);
	pm_buf_ch(b, '=');
	if (s->reason) {
		pm_buf_ch(b, '?');
		if (e->reason.n)
			pm_buf_mem(b, e->reason.p, e->reason.n);
		else
			pm_buf_str(b, s->reason);
		return;
	}
	if (e->scope != PM_EVENT_PERF)
		pm_buf_i64(b, (int64_t)s->value);
	else
		pm_buf_u64(b, s->value);
	if (e->scope == PM_EVENT_NODE)
		pm_buf_mem(b, "@node", 5);
	if (s->running < s->enabled) {
		uint64_t ratio = (uint64_t)((double)s->running * RATIO_ONE / (double)s->enabled);

		pm_buf_mem(b, "@0.", 3);
		for (uint64_t digit = RATIO_ONE / 10; digit; digit /= 10)
			pm_buf_ch(b, (char)('0' + ratio / digit % 10));
	}
}
