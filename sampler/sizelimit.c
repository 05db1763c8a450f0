/* Which sources are read half as often. */
#include "config.h"

#include "sampler/sizelimit.h"

#include <string.h>

bool pm_sizelimit_reached(struct pm_sizelimit *l, uint64_t written,
			  const uint64_t bytes[PM_SOURCES], bool rarer[PM_SOURCES])
{
	uint64_t grown[PM_SOURCES], all = 0, count = 0;

	if (!l->max || written - l->from < (l->reached ? (l->max + 1) / 2 : l->max))
		return false;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		/* One that was found unavailable has given up its series. */
		grown[id] = bytes[id] > l->taken[id] ? bytes[id] - l->taken[id] : 0;
		all += grown[id];
		count += grown[id] > 0;
	}
	/* Those below half of the mean have less than half of all. */
	for (size_t id = 0; id < PM_SOURCES; id++)
		rarer[id] = grown[id] > 0 && 2 * count * grown[id] >= all;
	memcpy(l->taken, bytes, sizeof l->taken);
	l->from = written;
	l->reached = true;
	return true;
}
