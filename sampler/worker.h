/*
 * A worker: a child process of the loop that reads sources (workermain.h). The loop starts it, asks
 * it, receives its answers, and restarts it after it ended. Nothing here ever waits for a worker.
 */
#ifndef PM_SAMPLER_WORKER_H
#define PM_SAMPLER_WORKER_H

#include "sampler/clock.h"
#include "sampler/workermain.h"

struct pm_worker {
	char name[16];           /* as ps shows it */
	bool member[PM_SOURCES]; /* the sources it reads */
	bool tree;               /* follows the process tree */
	bool slow;               /* reads sources with a period, one per request */
	size_t asked;            /* slow: source of the latest request */

	pid_t pid;                            /* 0: not running */
	int fd;                               /* socket to the process; -1 */
	struct pm_workermain_shared *shared;  /* memory shared with this and later processes */
	bool busy;                            /* asked, and has not answered yet */
	uint32_t number;                      /* of the latest request */
	bool requested[PM_SOURCES];           /* by the latest request */
	int64_t asked_us;                     /* time of the latest request */
	int64_t started_us;                   /* time of the latest start */
	int64_t retry_us;                     /* earliest time of the next start */
	unsigned row;                         /* failures in a row */
	struct pm_message message;            /* latest message head */
	int64_t past_user_us, past_system_us; /* CPU time of former processes */
	struct pm_bytes bytes;                /* received so far */
};

/* Prepare a worker without a process. Returns 0, or -1 when memory is short. */
int pm_worker_init(struct pm_worker *w, const char *name);

/*
 * Start the worker's process, which dies with the caller's. Returns 0, or -1 with e filled and
 * retry_us set as after a failure.
 */
int pm_worker_start(struct pm_worker *w, const struct pm_workermain_options *options,
		    int64_t now_us, struct pm_err *e);

/* Request a reading of the worker's sources that are wanted. Not while the worker is busy. */
void pm_worker_ask(struct pm_worker *w, const bool *wanted, int64_t now_us);

/*
 * Receive the answer. Returns 1 with *body set, valid until the next call, when a message is
 * complete (w->message); 0 when not yet; -1 when the worker is gone or sends nonsense, and should
 * be killed.
 */
int pm_worker_receive(struct pm_worker *w, const unsigned char **body);

/* Kill the worker's process; pm_worker_reap() notices its end. */
void pm_worker_kill(struct pm_worker *w);

/*
 * Whether the worker's process has ended. If so, *source is the source that it was reading, or -1,
 * and it may be started again from w->retry_us on. After a first failure that is at once; the delay
 * grows with each further failure in a row, up to a limit.
 */
bool pm_worker_reap(struct pm_worker *w, int64_t now_us, int *source);

/* Kill the process, if any, without waiting for it, and release the worker. */
void pm_worker_close(struct pm_worker *w);

#endif
