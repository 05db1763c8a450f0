/* A wait that is always over soon. */
#include "config.h"

#include "libperfmon/await.h"

#include "libperfmon/state.h"

#include <time.h>

/* A write takes some microseconds; a thread may have to wait for a processor, or a file system. */
#define MOMENT_NS  100000
#define AT_MOST_NS 1000000000

bool pm_await(int64_t *until_ns)
{
	const struct timespec moment = { 0, MOMENT_NS };
	int64_t now_ns = pm_clock_ns(CLOCK_MONOTONIC);

	if (*until_ns == 0)
		*until_ns = now_ns + AT_MOST_NS;
	if (now_ns >= *until_ns)
		return false;
	pm_sys2(SYS_nanosleep, &moment, NULL);
	return true;
}
