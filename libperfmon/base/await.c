/* A bounded wait. */
#include "config.h"

#include "libperfmon/base/await.h"

#include "libperfmon/base/state.h"

#include <time.h>

/* A write takes some microseconds; a thread may have to wait for a processor, or a file system. */
#define MOMENT_NS  100000
#define AT_MOST_NS 1000000000

/* Most that one sleep counts: if it takes longer, the process was stopped or had no processor, and
 * so was the other thread. */
#define COUNTED_NS 10000000

bool pm_await(int64_t *waited_ns)
{
	const struct timespec moment = { 0, MOMENT_NS };
	int64_t took_ns;

	if (*waited_ns >= AT_MOST_NS)
		return false;
	took_ns = pm_clock_ns(CLOCK_MONOTONIC);
	pm_sys2(SYS_nanosleep, &moment, NULL);
	took_ns = pm_clock_ns(CLOCK_MONOTONIC) - took_ns;
	if (took_ns < MOMENT_NS)
		took_ns = MOMENT_NS;
	*waited_ns += took_ns < COUNTED_NS ? took_ns : COUNTED_NS;
	return true;
}
