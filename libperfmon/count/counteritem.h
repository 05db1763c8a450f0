/* The count of an event as an item of the column counters: perfmon-tsv(5). */
#ifndef PM_LIBPERFMON_COUNT_COUNTERITEM_H
#define PM_LIBPERFMON_COUNT_COUNTERITEM_H

#include "common/safe/events.h"
#include "libperfmon/count/counter.h"

/* Most bytes of so many items, if their unescaped names and reasons are together `bytes` long. */
size_t pm_counteritem_room(uint32_t items, size_t bytes);

/* Append an item, after a blank unless it is the first. The event's name is escaped. */
void pm_counteritem_put(struct pm_buf *b, const struct pm_event *e, const struct pm_sum *s);

#endif
