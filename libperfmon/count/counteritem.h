/* What a counter counted, as an item of the column counters: perfmon-tsv(5). */
#ifndef PM_COUNTERITEM_H
#define PM_COUNTERITEM_H

#include "common/events.h"
#include "libperfmon/counter.h"

/* Bytes that items take at most, whose names and reasons are together `bytes` long, not escaped. */
size_t pm_counteritem_room(uint32_t items, size_t bytes);

/* Append the item, behind a blank if there is one before it. The event's name is escaped. */
void pm_counteritem_put(struct pm_buf *b, const struct pm_event *e, const struct pm_sum *s);

#endif
