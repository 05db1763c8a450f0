/* Archives and owners whose deliveries failed: they have to wait while others are served. */
#ifndef PM_FORWARD_FAILURES_H
#define PM_FORWARD_FAILURES_H

#include "forward/account.h"
#include "forward/backlog.h"

#include <stdint.h>

struct pm_failures {
	struct pm_failure {
		ino_t inode;
		uid_t owner; /* (uid_t)-1: not known */
		unsigned tries;
		int64_t until_us; /* not to be tried before, by the monotonic clock */
		bool found;
	} * failure;
	size_t n, room;
};

/* Note a failed delivery. Without memory it is forgotten: the archive is tried again at once. */
void pm_failures_add(struct pm_failures *f, const struct pm_backlog_archive *a);

/* Have the archives whose tries are noted wait, each longer the more there were, for at most
 * `longest_us`: the target works, and others were taken. */
void pm_failures_postpone(struct pm_failures *f, uint64_t host, int64_t longest_us);

/* Give each archive of the backlog its tries, and its owner's failures; forget archives that are
 * gone, and those whose inode is another owner's now. */
void pm_failures_apply(struct pm_failures *f, struct pm_backlog *b);

/* Forget an archive that left the spool: the next one may get its inode. */
void pm_failures_forget(struct pm_failures *f, ino_t inode);

/* How long an archive has to wait, us; 0: it may be tried. */
int64_t pm_failures_wait(const struct pm_failures *f, const struct pm_backlog_archive *a);

/* Put into an account what failed, and take it from there: what does not fit is forgotten. */
void pm_failures_keep(const struct pm_failures *f, struct pm_account *a);
void pm_failures_recall(struct pm_failures *f, const struct pm_account *a);

void pm_failures_free(struct pm_failures *f);

#endif
