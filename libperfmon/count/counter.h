/* One event of one thread, as counters.c keeps it and perfevent.c opens and reads it. */
#ifndef PM_COUNTER_H
#define PM_COUNTER_H

#include <stdint.h>

/* What an event counted, in one thread or in several: scaled where it did not run all the time that
 * it was enabled. */
struct pm_sum {
	uint64_t value, enabled, running;
	const char *reason; /* why it is not known; NULL while it is */
};

struct pm_counter {
	union {
		struct {
			int fd;          /* < 0: minus the reason's error number */
			uint32_t leader; /* index of the event whose group it is in */
		};
		int64_t from; /* of pm_usage_now: as the thread began, < 0 unknown */
	};
	uint64_t id;       /* the kernel's, 0 none */
	struct pm_sum sum; /* as it was read last */
};

#endif
