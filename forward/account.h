/* What a forwarder has done with its spool: counts that outlive it, in a file of the spool. */
#ifndef PM_FORWARD_ACCOUNT_H
#define PM_FORWARD_ACCOUNT_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_spool;

/* Most archives of which it is kept how often they failed. */
#define PM_ACCOUNT_TRIED 64

struct pm_account {
	int64_t sent, sent_bytes;       /* archives that were taken, with their bytes; bytes that a
					 * database took are not known */
	int64_t dropped, dropped_bytes; /* archives for which there was no room */
	int64_t aside;                  /* archives that cannot be loaded */
	int64_t failures;               /* passes in a row that failed */
	int64_t sent_us;                /* time of the last delivery, 0: none */
	int64_t written_us;             /* time of the last change */
	int64_t next_us;                /* time of the next attempt, 0: at once, or none runs */
	char to[1024];                  /* the target, for people */
	char error[1024];               /* why the last pass failed, "" after one that did not */
	/* The archive that is being dropped, 0: none: written before it is removed, so that it is
	 * counted once whenever the process is killed. */
	ino_t dropping;
	int64_t dropping_bytes;
	/* Archives that failed, so that the next forwarder begins with others. */
	struct pm_account_tried {
		ino_t inode;
		unsigned tries;
	} tried[PM_ACCOUNT_TRIED];
	size_t tried_n;
};

/*
 * Take the lock that keeps a second forwarder from a spool, until the process ends; to `look`
 * whether there is one, with others that look. Returns the descriptor; -2 if there is another
 * forwarder; -1 with e filled.
 */
int pm_account_lock(const struct pm_spool *s, bool look, struct pm_err *e);

/* Read the account of a spool: zeros where there is none. Returns 0, or -1 with e filled, also for
 * a file that is none, which a forwarder then writes anew. */
int pm_account_read(const struct pm_spool *s, struct pm_account *a, struct pm_err *e);

/* Write the account beside its name, and rename it. Returns 0 or -1 with e filled. */
int pm_account_write(const struct pm_spool *s, struct pm_account *a, struct pm_err *e);

#endif
