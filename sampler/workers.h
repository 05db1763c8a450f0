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

/* The receiver of readings, one in each sink. Returns 0 when they are written, 1 when kept for
 * later, -1 when lost. Calls pm_sink_passed() for each sink whose reading is written. */
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
	uint64_t living;     /* processes of the tree by its latest scan; 1 before the first */
	bool open;           /* a round has begun and not ended */
	size_t last;         /* worker that answered last in the previous round (can_wait()) */
	int64_t interval_us; /* between ticks: no source is read more often; 0: as its period says
			      */
	uint64_t every[PM_SOURCES]; /* a source is read at one of so many ticks, or turns */
	bool due[PM_SOURCES];       /* of those read at ticks: in this round */
	int64_t tick[PM_SOURCES];   /* number of the latest tick at which it was, on the grid */
	struct pm_moment round;
};

/*
 * Set up a crew; its processes start with the first round. selected and own are the caller's and
 * may change between rounds. Returns 0, or -1 with e filled; call pm_workers_close() in both cases.
 */
int pm_workers_open(struct pm_workers *c, const struct pm_workermain_options *reader,
		    const bool *selected, struct pm_own *own, pm_workers_put *put, void *arg,
		    struct pm_err *e);

/* Set the time between ticks, at first and when it changes: sources with a shorter period are read
 * as often as that. All sources with a period have a turn at the next pm_workers_slow(), and those
 * that were read less often (pm_workers_rarer()) are no longer. */
void pm_workers_interval(struct pm_workers *c, int64_t interval_us);

/* Read a source half as often from now on, but not less often than its counters allow. Returns
 * whether that is less often than before. */
bool pm_workers_rarer(struct pm_workers *c, size_t id, struct pm_moment now);

/*
 * Begin a round: request all sources that are read at ticks and due at this one; their values are
 * put when all have come. If the previous round is still open, end it: workers that have not
 * answered are late.
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

/* To be called when child processes have ended. Workers among them are started again when they are
 * needed next, not here. */
void pm_workers_reap(struct pm_workers *c);

/* Whether no answer is expected. */
bool pm_workers_quiet(const struct pm_workers *c);

/* Stop waiting: all answers that have not come are late. */
void pm_workers_give_up(struct pm_workers *c, struct pm_moment now);

/* Kill all processes and release the crew. */
void pm_workers_close(struct pm_workers *c);

/* Only for workers*.c. The first workers: of the tree, of the rest, of sources with a period; any
 * worker from there on may have one source. */
enum { PM_WORKERS_TREE, PM_WORKERS_REST, PM_WORKERS_SLOW, PM_WORKERS_SHARED };

/* Only for workers*.c. pm_workers_wants: whether a source has to be read: it is selected and not
 * known to be unavailable. pm_workers_put_one: put the values of one source. pm_workers_tend: start
 * a worker if it is needed and does not run; kill it if it hangs. pm_workers_add: add a worker
 * without sources; returns it, or NULL. */
bool pm_workers_wants(const struct pm_workers *c, size_t id);
void pm_workers_put_one(struct pm_workers *c, struct pm_moment at, size_t id);
void pm_workers_tend(struct pm_workers *c, struct pm_worker *w, int64_t interval_us,
		     int64_t now_us);
struct pm_worker *pm_workers_add(struct pm_workers *c, const char *name);

/*
 * Only for workers*.c. pm_workers_reader: the worker that reads a source with a period, or NULL.
 * pm_workers_skip: let its turn pass without a reading. pm_workers_ask_next: if the worker is idle,
 * ask it for the first of its sources that waits to be read. pm_workers_go_on: restart an ended
 * worker for them; if it cannot start, they stop waiting. pm_workers_charge: charge a source's
 * latest reading to its budget, which delays the next one. pm_workers_forget: forget the reader's
 * numbers of series, which the source's next reader will not know.
 */
struct pm_worker *pm_workers_reader(struct pm_workers *c, size_t id);
void pm_workers_skip(struct pm_workers *c, size_t id, struct pm_moment now, enum pm_reason reason);
void pm_workers_ask_next(struct pm_workers *c, struct pm_worker *w, int64_t now_us);
void pm_workers_go_on(struct pm_workers *c, struct pm_worker *w, int64_t now_us);
void pm_workers_charge(struct pm_workers *c, size_t id, int64_t now_us);
void pm_workers_forget(struct pm_workers *c, size_t id);

#endif
