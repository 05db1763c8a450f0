/* One event of one thread, as counters.c keeps it and perfevent.c opens and reads it. */
#ifndef PM_LIBPERFMON_COUNT_COUNTER_H
#define PM_LIBPERFMON_COUNT_COUNTER_H

#include <stdint.h>

/* The count of an event, in one thread or in several: scaled if the event did not run all the time
 * that it was enabled. */
struct pm_sum {
	uint64_t value, enabled, running;
	const char *reason; /* why the count is unknown; NULL if it is known */
};

struct pm_counter {
	union {
		struct {
			int fd;          /* < 0: minus the reason's error number */
			uint32_t leader; /* index of the event that leads its group */
		};
		int64_t from; /* pm_usage_now as the thread began, < 0 unknown */
	};
	uint64_t id;       /* the kernel's id of the event, 0 none */
	struct pm_sum sum; /* as it was read last */
};

#endif
