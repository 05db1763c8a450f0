/*
 * Which sources are read half as often from now on, since the series file has grown too large.
 * Unlike down-sampling (downsample.h), this makes gauges smaller, too, and spares the readings.
 */
#ifndef PM_SAMPLER_SIZELIMIT_H
#define PM_SAMPLER_SIZELIMIT_H

#include "sampler/source.h"

/* Start with `max` alone, all else 0, for each file. */
struct pm_sizelimit {
	uint64_t max;               /* bytes at first, then half as many each time; 0: any number */
	uint64_t from;              /* bytes of the file at the latest time */
	uint64_t taken[PM_SOURCES]; /* bytes of each source then */
	bool reached;               /* once at least */
};

/*
 * Whether the limit is reached again. written: bytes of the file; bytes: those of the values of
 * each source. If so, `rarer` is set for those that take most of them: the others together took
 * less than half of what has been written since, so that the file grows at three quarters of the
 * rate from then on, or less.
 */
bool pm_sizelimit_reached(struct pm_sizelimit *l, uint64_t written,
			  const uint64_t bytes[PM_SOURCES], bool rarer[PM_SOURCES]);

#endif
