/*
 * Archives to a directory. Where all may write to it, as to a spool of submit, a file is written
 * with the rights of the archive's owner alone: it is then the owner's also where root of this host
 * is nobody, and counts for the owner's quota. Only the file system's user is changed, so that the
 * owner can send no signal to the process.
 */
#include "config.h"

#include "forward/deliver.h"

#include "common/apart.h"
#include "common/filecopy.h"
#include "common/settings/readconfig.h"
#include "common/trusted.h"
#include "forward/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <time.h>
#include <unistd.h>

/* A copy is asked to end, and is killed then: its file is removed by the next one. */
#define PATIENCE_US 1000000

struct copy {
	const struct pm_delivery *d;
	int dir;
	bool as_owner;    /* write with the owner's rights */
	struct pm_err *e; /* shared with the process that copies */
};

/* Take the rights of the archive's owner for files. Returns 0 or -1 with e filled. */
static int become_owner(const struct stat *st, struct pm_err *e)
{
	if (st->st_uid == geteuid())
		return 0;
	if (setgroups(0, NULL) < 0)
		return pm_err(e, "give up groups: %m");
	setfsgid(st->st_gid);
	setfsuid(st->st_uid);
	pm_apart_rebind();
	if ((uid_t)setfsuid((uid_t)-1) != st->st_uid || (gid_t)setfsgid((gid_t)-1) != st->st_gid)
		return pm_err(e, "write as uid %u: not permitted", (unsigned)st->st_uid);
	return 0;
}

/* Whether the directory has the archive. Returns 1 or 0, or -1 with e filled if its name is taken.
 */
static int has_it(const struct copy *c, const char *name)
{
	struct stat st;

	if (fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : pm_err(c->e, "%s: %m", name);
	if (!S_ISREG(st.st_mode) || st.st_uid != c->d->st->st_uid)
		return pm_err(c->e, "%s is there, made by uid %u", name, (unsigned)st.st_uid);
	return st.st_size == c->d->st->st_size;
}

/* Write the copy to a new file and sync it. Returns 0 or -1 with e filled. */
static int write_copy(const struct copy *c, int fd)
{
	const struct stat *st = c->d->st;

	if (!c->as_owner && st->st_uid != geteuid() && fchown(fd, st->st_uid, st->st_gid) < 0)
		return pm_err(c->e,
			      "give the copy to uid %u: %m; make the directory one that all may "
			      "write to: chmod 1733",
			      (unsigned)st->st_uid);
	if (pm_filecopy_part(c->d->fd, fd, st->st_size) < 0)
		return pm_err(c->e, "copy: %m");
	return fsync(fd) < 0 ? pm_err(c->e, "sync: %m") : 0;
}

/* Whether the name is still that of the file, of which another process may think that it was left
 * behind. */
static bool still_named(const struct copy *c, const char *name, const struct stat *file)
{
	struct stat st;

	return fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* Make the copy under a hidden name, then give it its own. Returns 0 or -1 with e filled. */
static int make_copy(const struct copy *c, const char *name)
{
	char part[NAME_MAX + 1];
	struct stat st;
	int fd, rc;

	snprintf(part, sizeof part, ".%.*s.part", NAME_MAX - 7, name);
	/* Left by a copy that was killed. */
	unlinkat(c->dir, part, 0);
	fd = openat(c->dir, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pm_err(c->e, "write %s: %m", part);
	rc = fstat(fd, &st) < 0 ? pm_err(c->e, "write %s: %m", part) : write_copy(c, fd);
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(c->e, "write %s: %m", part);
	if (!still_named(c, part, &st))
		return pm_err(c->e, "write %s: another process wrote it at the same time", part);
	if (rc == 0 && renameat(c->dir, part, c->dir, name) < 0)
		rc = pm_err(c->e, "rename to %s: %m", name);
	if (rc < 0)
		unlinkat(c->dir, part, 0);
	return rc;
}

/* Bring to the disk a copy that was there already: what made it may have been killed before.
 * Returns 0 or -1 with e filled. */
static int sync_copy(const struct copy *c, const char *name)
{
	const int fd = openat(c->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || fsync(fd) < 0)
		rc = pm_err(c->e, "sync %s: %m", name);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int sync_directory(const struct copy *c)
{
	/* Some file systems cannot sync directories, nor those that may not be listed. */
	if (fsync(c->dir) < 0 && errno != EINVAL && errno != EBADF)
		return pm_err(c->e, "sync the directory: %m");
	return 0;
}

/* Open the folder of the day on which the archive came, which does not change when it is sent
 * again. Returns a descriptor, or -1 with e filled. */
static int open_day(int dir, const struct stat *target, const struct stat *st, struct pm_err *e)
{
	char day[32];
	struct stat got;
	struct tm tm;
	int fd;

	if (!gmtime_r(&st->st_ctim.tv_sec, &tm) || !strftime(day, sizeof day, "%Y-%m-%d", &tm))
		return pm_err(e, "the archive's time is none");
	if (mkdirat(dir, day, target->st_mode & 0755) < 0 && errno != EEXIST)
		return pm_err(e, "create directory %s: %m", day);
	fd = openat(dir, day, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pm_err(e, "%s: %m", day);
	if (fstat(fd, &got) == 0 && (got.st_uid == 0 || got.st_uid == geteuid()))
		return fd;
	close(fd);
	return pm_err(e, "%s belongs to uid %u, who could change its content", day,
		      (unsigned)got.st_uid);
}

/* Open a directory, also one that may not be listed: then it cannot be synced. Returns a descriptor
 * or -1 with errno. */
static int open_path(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 && errno == EACCES ? open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
					 : fd;
}

/* Open the directory that the archive goes to. Returns 0 or -1 with e filled. */
static int open_directory(struct copy *c)
{
	const bool rotate = strcmp(pm_config_get(PM_SET_forward_rotate), "day") == 0;
	char *path = pm_trusted_directory(c->d->to->text, c->e);
	struct stat st;

	if (!path)
		return -1;
	c->dir = open_path(path);
	free(path);
	if (c->dir < 0 || fstat(c->dir, &st) < 0)
		return pm_err(c->e, "open: %m");
	if (st.st_dev == c->d->spool->st_dev && st.st_ino == c->d->spool->st_ino)
		return pm_err(c->e, "it is the spool itself");
	c->as_owner = (st.st_mode & S_IWOTH) != 0;
	if (!rotate)
		return 0;
	if (c->as_owner)
		return pm_err(c->e, "all may write to it, and could take the names of days to "
				    "come: chmod o-w, or set forward_rotate to never");
	c->dir = open_day(c->dir, &st, c->d->st, c->e);
	return c->dir < 0 ? -1 : 0;
}

/* In the process of its own. Returns its exit status: 0 if the directory has the archive. */
static int run_copy(void *ctx)
{
	struct copy *c = ctx;
	char name[NAME_MAX + 1];
	int there;

	close(c->d->lock[0]);
	close(c->d->lock[1]);
	signal(SIGTERM, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (pm_delivery_name(c->d, name) < 0) {
		pm_err(c->e, "read: %m");
		return 1;
	}
	if (open_directory(c) < 0)
		return 1;
	if (c->as_owner && become_owner(c->d->st, c->e) < 0)
		return 1;
	there = has_it(c, name);
	if (there < 0 || (there ? sync_copy(c, name) : make_copy(c, name)) < 0)
		return 1;
	return sync_directory(c) < 0 ? 1 : 0;
}

enum pm_deliver pm_deliver_directory(const struct pm_delivery *d, struct pm_err *e)
{
	struct copy c = { .d = d, .dir = -1 };
	const struct pm_apart apart = { .run = run_copy,
					.ctx = &c,
					.limit_us = pm_config_int(PM_SET_forward_limit),
					.stop = d->stop,
					.patience_us = PATIENCE_US,
					.setting = "forward_limit" };
	int status = 0, rc = -1;

	e->text[0] = '\0';
	c.e = pm_shared_new(sizeof *c.e, e);
	if (c.e)
		rc = pm_apart_run(&apart, &status, e);
	if (rc == 0 && status)
		rc = pm_err(e, "%s", c.e->text[0] ? c.e->text : "the copy failed");
	pm_shared_free(c.e, sizeof *c.e);
	if (rc == 0)
		return PM_DELIVER_TAKEN;
	pm_err_prefix(e, "directory %s", d->to->text);
	return PM_DELIVER_AGAIN;
}
