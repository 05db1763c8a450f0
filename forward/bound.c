/*
 * Make room in a spool: each archive that is dropped is counted once, whenever the process is
 * killed. The account says which one is going before it goes.
 */
#include "config.h"

#include "forward/bound.h"

#include "common/log.h"
#include "forward/backlog.h"
#include "submit/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* An archive that changes while it is moved away is moved again, so often. */
#define ATTEMPTS 10

/* Count an archive that is dropped. A user may make a file as long as a number can say. */
static void count(struct pm_account *a, int64_t bytes)
{
	a->dropped++;
	if (__builtin_add_overflow(a->dropped_bytes, bytes, &a->dropped_bytes))
		a->dropped_bytes = INT64_MAX;
}

/* Complete what a process that was killed had begun. */
static void settle(struct pm_account *a, const struct pm_backlog *b)
{
	bool there = false;

	if (!a->dropping)
		return;
	for (size_t i = 0; i < b->n; i++) {
		struct pm_backlog_archive *x = &b->archive[i];

		/* A file that came later may have got the number of the one that is gone. */
		if (x->inode != a->dropping ||
		    (x->place == PM_BACKLOG_WAITING && x->since_us > a->written_us))
			continue;
		there = true;
		/* It was moved out of the spool already, or was to go from the folder. */
		x->drop = x->place != PM_BACKLOG_WAITING;
	}
	if (!there)
		count(a, a->dropping_bytes);
	a->dropping = 0;
	a->dropping_bytes = 0;
}

/* Remove an archive that waits. Returns 1; 0 if it is not the same any more; -1 with e filled. */
static int remove_waiting(const struct pm_spool *s, const struct pm_backlog_archive *x,
			  struct pm_err *e)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		struct stat st;

		if (fstatat(s->dir, x->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return i > 0;
		if (st.st_ino != x->inode)
			return i > 0;
		if (pm_spool_move(s, x->name, &st, false, NULL, true, e) < 0)
			return -1;
	}
	return 0;
}

/* Remove an archive from a folder, with the file that says why it is there. A directory that has
 * something in it stays. Returns as remove_waiting(). */
static int remove_aside(int folder, const struct pm_backlog_archive *x, struct pm_err *e)
{
	char reason[NAME_MAX + 1];

	snprintf(reason, sizeof reason, "%.*s.reason", NAME_MAX - 7, x->name);
	unlinkat(folder, reason, 0);
	if (unlinkat(folder, x->name, 0) == 0 || unlinkat(folder, x->name, AT_REMOVEDIR) == 0)
		return 1;
	return errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
		       ? 0
		       : pm_err(e, "remove %s: %m", x->name);
}

/* Drop one archive and count it. Returns as remove_waiting(). */
static int drop_one(struct pm_account *a, const struct pm_spool *s,
		    const struct pm_backlog_archive *x, struct pm_err *e)
{
	int rc;

	a->dropping = x->inode;
	a->dropping_bytes = x->bytes;
	/* On a full disk the account cannot be written before there is room. */
	if (pm_account_write(s, a, e) < 0)
		pm_debug("%s", e->text);
	rc = x->place == PM_BACKLOG_WAITING  ? remove_waiting(s, x, e)
	     : x->place == PM_BACKLOG_FAILED ? remove_aside(s->failed, x, e)
					     : remove_aside(s->loaded, x, e);
	a->dropping = 0;
	a->dropping_bytes = 0;
	if (rc > 0)
		count(a, x->bytes);
	return rc;
}

/* Drop the archives that are marked. Returns their number, or -1 with e filled. */
static int drop_marked(struct pm_account *a, const struct pm_spool *s, const struct pm_backlog *b,
		       int64_t max, struct pm_err *e)
{
	int dropped = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct pm_backlog_archive *x = &b->archive[i];
		int rc = x->drop ? drop_one(a, s, x, e) : 0;

		if (rc < 0)
			return -1;
		if (rc > 0)
			pm_info("spool %s: %s of uid %u is dropped", s->path, x->name,
				(unsigned)x->owner);
		dropped += rc;
	}
	if (dropped == 0)
		return 0;
	pm_error("spool %s: %d archive%s dropped: all of them take more than %lld bytes (setting "
		 "spool_max)",
		 s->path, dropped, dropped == 1 ? "" : "s", (long long)max);
	if (pm_account_write(s, a, e) < 0)
		pm_warn("%s", e->text);
	return dropped;
}

int pm_bound_keep(struct pm_account *a, const struct pm_spool *s, int64_t max, struct pm_err *e)
{
	struct pm_backlog b = { .archive = NULL };
	int rc = 0;

	if (pm_backlog_read_all(&b, s, e) < 0)
		return -1;
	settle(a, &b);
	if (max && pm_backlog_excess(&b, max, e) < 0)
		rc = -1;
	if (rc == 0)
		rc = drop_marked(a, s, &b, max, e);
	pm_backlog_free(&b);
	return rc;
}
