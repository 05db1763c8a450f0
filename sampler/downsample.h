/*
 * Bounded series: a source that has been written a given number of times is written half as often
 * from then on, again and again. A tick then has the latest values, which is all that counters
 * need. For gauges it also has the minimum, the maximum, the sum and the number of the values since
 * the previous tick, as series of their own.
 */
#ifndef PM_SAMPLER_DOWNSAMPLE_H
#define PM_SAMPLER_DOWNSAMPLE_H

#include "sampler/writer.h"

/* The readings of one source. */
struct pm_downsample {
	struct pm_sink *sink;
	uint64_t every;          /* readings per tick */
	uint64_t pending;        /* readings since the latest tick */
	uint64_t ticks;          /* ticks since `every` changed */
	struct pm_moment at;     /* of the latest reading */
	struct pm_source source; /* of the sink `extremes`; its metrics are owned */
	struct pm_sink extremes; /* minimum, maximum, sum and number of the gauges */
	int *series;             /* in `extremes`, 4 per series of the source; -1: none; owned */
	size_t count;            /* series of the source that `series` covers */
};

struct pm_thinner {
	struct pm_writer *writer;
	uint64_t max; /* ticks of a source before it is thinned; half as many before each further
			 time; 0: never thin */
	struct pm_downsample thin[PM_SOURCES];
	size_t count;
};

/*
 * Write readings of sources, or keep them for a later tick. Sinks are recognised by their address;
 * calls pm_sink_passed() for those written.
 * Returns 0 when all readings have been written, 1 when some are kept, or -1 with errno set when
 * readings are lost. Kept readings that cannot be written are tried again later.
 */
int pm_thinner_tick(struct pm_thinner *t, struct pm_moment at, struct pm_sink *const *sinks,
		    size_t count);

/* Write the kept readings. Returns 0, or -1 with errno set when some could not be written. */
int pm_thinner_flush(struct pm_thinner *t);

/* Release the thinner's memory; the writer stays the caller's. */
void pm_thinner_close(struct pm_thinner *t);

#endif
