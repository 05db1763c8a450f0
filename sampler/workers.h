/*
 * Who reads the sources, and what has been read: the processes beside the loop (worker.h). Cheap
 * sources are read at every tick by two of them, one for what follows the process tree and one for
 * the rest. Sources with a period are read one by one, by one process for all, to spare memory:
 * where one keeps the others waiting, it keeps that process, and they get a new one. A source that
 * crashed has its own. What is read together is handed out together. Nothing here waits.
 * Programs only.
 */
#ifndef PM_CREW_H
#define PM_CREW_H

#include "sampler/worker.h"

#include <poll.h>

/* One per source, and those of the tree, of the rest and of the sources with a period. */
#define PM_CREW_MAX (PM_SOURCES + 3)

/* Where readings go. Returns 0 when they are written, 1 when they are kept for later, -1 when they
 * are lost. Sinks that are written are told so (pm_sink_passed). */
typedef int pm_crew_put(void *arg, struct pm_moment at, struct pm_sink *const *sinks, size_t count);

/* A source with a period. */
struct pm_turn {
	struct pm_clock clock;
	int64_t rich_us;     /* with a budget: when there is enough of it again */
	uint64_t charged_ns; /* CPU time that is paid for */
	bool waiting;        /* its turn has come, and its process reads another one */
};

struct pm_crew {
	struct pm_reader_options reader;
	const bool *selected; /* of the sources */
	struct pm_own *own;
	pm_crew_put *put;
	void *arg;
	struct pm_slot slot[PM_SOURCES];
	void *state[PM_SOURCES]; /* of sources of the loop */
	struct pm_turn turn[PM_SOURCES];
	struct pm_worker worker[PM_CREW_MAX];
	size_t count;
	uint64_t living; /* processes of the tree by its latest scan; 1 before the first */
	bool open;       /* a round has begun and not ended */
	size_t last;     /* whose answer came last in the round before: one wake-up for all */
	struct pm_moment round;
};

/*
 * Set up a crew; its processes start with the first round. selected and own are the caller's and
 * may change between rounds. Returns 0, or -1 with e filled; pm_crew_close() is due in both cases.
 */
int pm_crew_open(struct pm_crew *c, const struct pm_reader_options *reader, const bool *selected,
		 struct pm_own *own, pm_crew_put *put, void *arg, struct pm_err *e);

/*
 * Begin a round: everything that is read at every tick is asked for, and put when it is there. A
 * round before it that is still open is ended: who has not answered is late.
 */
void pm_crew_begin(struct pm_crew *c, struct pm_moment now);

/* Put the open round as far as it is there. */
void pm_crew_end(struct pm_crew *c);

/* Begin the readings of sources with a period that are due, or all that can be. */
void pm_crew_slow(struct pm_crew *c, struct pm_moment now, bool all);

/*
 * Have sources that wait for one that is stuck read by another process. Also done by
 * pm_crew_slow(). Returns when to look again, on the monotonic clock; INT64_MAX: nobody waits.
 */
int64_t pm_crew_part(struct pm_crew *c, struct pm_moment now);

/* When pm_crew_slow() is due, on the monotonic clock; INT64_MAX: never. */
int64_t pm_crew_due(const struct pm_crew *c);

/* Fill in what to wait for, PM_CREW_MAX entries at most. Returns how many. */
size_t pm_crew_wait(const struct pm_crew *c, struct pollfd *fds);

/* Listen to those that have something to say, as poll(2) told of what pm_crew_wait() filled in. */
void pm_crew_listen(struct pm_crew *c, const struct pollfd *fds, size_t count);

/* Processes have ended: see which, and start what is needed again at its next turn. */
void pm_crew_reap(struct pm_crew *c);

/* Whether nobody is expected to answer. */
bool pm_crew_quiet(const struct pm_crew *c);

/* Nobody is waited for any more: what has not been answered is late. */
void pm_crew_give_up(struct pm_crew *c, struct pm_moment now);

/* End all processes and release what is held. */
void pm_crew_close(struct pm_crew *c);

#endif
