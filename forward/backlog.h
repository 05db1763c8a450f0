/* The archives of a spool: in which order they are sent, and which are dropped when they take more
 * than they may. */
#ifndef PM_FORWARD_BACKLOG_H
#define PM_FORWARD_BACKLOG_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_spool;

/* Where an archive lies. */
enum pm_backlog_place { PM_BACKLOG_WAITING, PM_BACKLOG_LOADED, PM_BACKLOG_FAILED };

struct pm_backlog_archive {
	char *name;
	enum pm_backlog_place place;
	uid_t owner;
	ino_t inode;
	int64_t bytes;     /* its length, what it takes on the disk, or a block: the most of them */
	int64_t since_us;  /* when it came: its change time */
	unsigned tries;    /* deliveries that failed */
	unsigned failures; /* of its owner, in a row */
	size_t rank;       /* among those of its owner */
	bool drop;
};

struct pm_backlog {
	struct pm_backlog_archive *archive;
	size_t n, room;
};

/* List what is named like an archive in one place, of what waits regular files alone. Returns 0, or
 * -1 with e filled and nothing in b. */
int pm_backlog_read(struct pm_backlog *b, const struct pm_spool *s, enum pm_backlog_place place,
		    struct pm_err *e);

/* Read all places into b, which is empty. Returns the same. */
int pm_backlog_read_all(struct pm_backlog *b, const struct pm_spool *s, struct pm_err *e);

/*
 * Order the archives for sending: the oldest of each owner come before the second oldest of any, so
 * that nobody waits behind all archives of another. Those that failed come behind the others, and
 * so do owners whose deliveries failed.
 */
void pm_backlog_order(struct pm_backlog *b);

/*
 * Mark the archives to drop so that the others take at most `max` bytes: of the owner who has the
 * most bytes those that were set aside, then those that wait, the newest first; and again while
 * there is too much. Returns their number, or -1 with e filled if out of memory.
 */
ssize_t pm_backlog_excess(struct pm_backlog *b, int64_t max, struct pm_err *e);

/* Bytes of the archives in one place, with their number and the time of the oldest, us, 0 for none.
 */
int64_t pm_backlog_bytes(const struct pm_backlog *b, enum pm_backlog_place place, size_t *number,
			 int64_t *oldest_us);

void pm_backlog_free(struct pm_backlog *b);

#endif
