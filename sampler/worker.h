/*
 * A process beside the loop that reads sources (reader.h): started, asked, heard, and started again
 * after it ended. Whatever becomes of it, nothing here waits for it. Programs only.
 */
#ifndef PM_WORKER_H
#define PM_WORKER_H

#include "sampler/clock.h"
#include "sampler/reader.h"

struct pm_worker {
	char name[16];           /* as ps shows it */
	bool member[PM_SOURCES]; /* the sources it reads */
	bool tree;               /* it follows the process tree */
	bool slow;               /* it is asked for one source at a time, now and then */
	size_t asked;            /* slow: for which one last */

	pid_t pid;                            /* 0: it does not run */
	int fd;                               /* to it; -1 */
	struct pm_reader_shared *shared;      /* with it, and the next one */
	bool busy;                            /* asked, and has not answered yet */
	uint32_t number;                      /* of the latest request */
	int64_t asked_us;                     /* when that was */
	int64_t started_us;                   /* when it was started last */
	int64_t retry_us;                     /* when it may be started again */
	unsigned row;                         /* failures in a row */
	struct pm_message message;            /* its latest */
	int64_t past_user_us, past_system_us; /* CPU time of those before it */
	struct pm_bytes bytes;                /* received so far */
};

/* Prepare one that does not run yet. Returns 0, or -1 when memory is short. */
int pm_worker_init(struct pm_worker *w, const char *name);

/*
 * Start its process, which dies with this one. Returns 0, or -1 with e filled; it is started again
 * later then as after a failure.
 */
int pm_worker_start(struct pm_worker *w, const struct pm_reader_options *options, int64_t now_us,
		    struct pm_err *e);

/* Ask for a reading of those of its sources that are wanted. One at a time. */
void pm_worker_ask(struct pm_worker *w, const bool *wanted, int64_t now_us);

/*
 * Receive what has come. Returns 1 with *body set, valid until the next call, when a message is
 * complete (w->message); 0 when not yet; -1 when it is gone or does not make sense, and should be
 * ended.
 */
int pm_worker_receive(struct pm_worker *w, const unsigned char **body);

/* End it for good or bad; pm_worker_reap() tells when it is over. */
void pm_worker_kill(struct pm_worker *w);

/*
 * Whether its process has ended; then *source is what it was reading, or -1, and it may be started
 * again from w->retry_us on: at once after a first failure, later after each further one.
 */
bool pm_worker_reap(struct pm_worker *w, int64_t now_us, int *source);

/* Release what is held; its process, if any, is told to end. */
void pm_worker_close(struct pm_worker *w);

#endif
