/* Convert an event to the argument of perf_event_open(2). Safe in the preload. */
#ifndef PM_COMMON_SAFE_EVENT_ATTR_H
#define PM_COMMON_SAFE_EVENT_ATTR_H

#include "common/safe/events.h"

#include <linux/perf_event.h>

/* The attributes for the event and its excluded domains; the caller adds read format and flags. */
static inline struct perf_event_attr pm_event_attr(const struct pm_event *e)
{
	return (struct perf_event_attr){
		.type = e->type,
		.size = sizeof(struct perf_event_attr),
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.bp_type = e->bp_type,
		.exclude_user = (e->exclude & PM_EXCLUDE_USER) != 0,
		.exclude_kernel = (e->exclude & PM_EXCLUDE_KERNEL) != 0,
		.exclude_hv = (e->exclude & PM_EXCLUDE_HV) != 0,
		.exclude_idle = (e->exclude & PM_EXCLUDE_IDLE) != 0,
		.exclude_host = (e->exclude & PM_EXCLUDE_HOST) != 0,
		.exclude_guest = (e->exclude & PM_EXCLUDE_GUEST) != 0,
	};
}

#endif
