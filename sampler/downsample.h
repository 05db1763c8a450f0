/*
 * Bounded series: a source that has been written so often is written half as often from then on,
 * and so again and again. What is left out is not lost: a tick has the last values, which is all
 * that counters need, and of gauges the least, the greatest, the sum and the number of the values
 * since the tick before, as series of their own. Programs only.
 */
#ifndef PM_THIN_H
#define PM_THIN_H

#include "sampler/writer.h"

/* The readings of one source. */
struct pm_thin {
	struct pm_sink *sink;
	uint64_t every;          /* readings that a tick stands for; 0 at first */
	uint64_t pending;        /* of them there are since the latest tick */
	uint64_t ticks;          /* since that changed */
	struct pm_moment at;     /* of the latest reading */
	struct pm_source source; /* of the sink below; its metrics are owned */
	struct pm_sink extremes; /* least, greatest, sum and number of the gauges */
	int *series;             /* in it, 4 for each series of the source; -1: none; owned */
	size_t count;            /* how many series of the source that has */
};

struct pm_thinner {
	struct pm_writer *writer;
	uint64_t max; /* ticks of a source before it is thinned; half as many before it is thinned
			 again; 0: it never is */
	struct pm_thin thin[PM_SOURCES];
	size_t count;
};

/*
 * Write readings of sources, or keep them for a later tick. Sinks are known by their address; those
 * that are written are told so (pm_sink_passed).
 * Returns 0 when all of it has been written, 1 when some of it is kept, -1 with errno set when it
 * is lost. What is kept is tried again where it cannot be written.
 */
int pm_thinner_tick(struct pm_thinner *t, struct pm_moment at, struct pm_sink *const *sinks,
		    size_t count);

/* Write what is kept. Returns 0, or -1 with errno set when it is lost. */
int pm_thinner_flush(struct pm_thinner *t);

/* Release what is held; the writer is the caller's. */
void pm_thinner_close(struct pm_thinner *t);

#endif
