/*
 * The crew of workers (worker.h) and the values that they have read. Two workers read the cheap
 * sources at every tick: one those that follow the process tree, the other the rest. Sources with a
 * period share one worker, to spare memory, and are read one at a time. If such a source keeps the
 * others waiting, it keeps the worker and the others get a new one. A source that crashed gets its
 * own worker. Values that are read together are put together. Nothing here blocks.
 */
#ifndef PM_SAMPLER_WORKERS_H
#define PM_SAMPLER_WORKERS_H

#include "sampler/worker.h"

#include <poll.h>

/* One worker per source, and those of the tree, of the rest and of the sources with a period. */
#define PM_WORKERS_MAX (PM_SOURCES + 3)

/* The receiver of readings. Returns 0 when they are written, 1 when they are kept for later, -1
 * when they are lost. Calls pm_sink_passed() for sinks that are written. */
typedef int pm_workers_put(void *arg, struct pm_moment at, struct pm_sink *const *sinks,
			   size_t count);

/* A source with a period. */
struct pm_turn {
	struct pm_clock clock;
	int64_t rich_us;     /* with a budget: when the budget allows the next reading */
	uint64_t charged_ns; /* CPU time charged to the budget so far */
	bool waiting;        /* its turn has come, but its worker reads another source */
};

struct pm_workers {
	struct pm_workermain_options reader;
	const bool *selected; /* by source */
	struct pm_own *own;
	pm_workers_put *put;
	void *arg;
	struct pm_slot slot[PM_SOURCES];
	void *state[PM_SOURCES]; /* of sources read in the loop's process */
	struct pm_turn turn[PM_SOURCES];
	struct pm_worker worker[PM_WORKERS_MAX];
	size_t count;
	uint64_t living; /* processes of the tree by its latest scan; 1 before the first */
	bool open;       /* a round has begun and not ended */
	size_t last;     /* worker that answered last in the previous round (can_wait()) */
	struct pm_moment round;
};

/*
 * Set up a crew; its processes start with the first round. selected and own are the caller's and
 * may change between rounds. Returns 0, or -1 with e filled; call pm_workers_close() in both cases.
 */
int pm_workers_open(struct pm_workers *c, const struct pm_workermain_options *reader,
		    const bool *selected, struct pm_own *own, pm_workers_put *put, void *arg,
		    struct pm_err *e);

/*
 * Begin a round: request all sources that are read at every tick; their values are put when all
 * have come. If the previous round is still open, end it: workers that have not answered are late.
 */
void pm_workers_begin(struct pm_workers *c, struct pm_moment now);

/* End the open round: put the values that have come. */
void pm_workers_end(struct pm_workers *c);

/* Begin the readings of sources with a period that are due; all: of every such source possible. */
void pm_workers_slow(struct pm_workers *c, struct pm_moment now, bool all);

/*
 * Move sources that wait for a stuck one to another worker. Also done by pm_workers_slow(). Returns
 * when to call again, on the monotonic clock; INT64_MAX: no source waits.
 */
int64_t pm_workers_part(struct pm_workers *c, struct pm_moment now);

/* When pm_workers_slow() is due, on the monotonic clock; INT64_MAX: never. */
int64_t pm_workers_due(const struct pm_workers *c);

/* Fill in the descriptors to poll, PM_WORKERS_MAX at most. Returns how many. */
size_t pm_workers_wait(const struct pm_workers *c, struct pollfd *fds);

/* Receive answers, after poll(2) on the entries that pm_workers_wait() filled in. */
void pm_workers_listen(struct pm_workers *c, const struct pollfd *fds, size_t count);

/* To be called when child processes have ended: restart the workers among them when they are needed
 * next. */
void pm_workers_reap(struct pm_workers *c);

/* Whether no answer is expected. */
bool pm_workers_quiet(const struct pm_workers *c);

/* Stop waiting: all answers that have not come are late. */
void pm_workers_give_up(struct pm_workers *c, struct pm_moment now);

/* Kill all processes and release the crew. */
void pm_workers_close(struct pm_workers *c);

#endif
