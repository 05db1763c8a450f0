/* A spool's directory: permissions, lock, entries, moving entries away. */
#include "config.h"

#include "submit/spool.h"

#include "common/archive.h"
#include "common/log.h"
#include "common/now.h"
#include "common/terminal.h"
#include "db/db.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

/* Maximum number of other users' folders to move aside. */
#define FOREIGN_MAX 100

/* Name of the lock file in `loaded`, where nobody else can create or lock it. */
#define LOCK ".lock"

/* Tolerance for change times in the future, since clocks differ. */
#define CLOCKS_DIFFER_US ((int64_t)3600 * 1000000)

/* Check that a directory is safe to work in. Returns 0, or -1 with e filled. */
static int check_directory(int fd, const char *path, const char *folder, struct pm_err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pm_err(e, "%s%s: %m", path, folder);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return pm_err(e, "%s%s: belongs to uid %u, who could change its content", path,
			      folder, (unsigned)st.st_uid);
	if (folder[0] && (st.st_mode & (S_IWGRP | S_IWOTH)))
		return pm_err(e, "%s%s: others may write to it: chmod go-w", path, folder);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return pm_err(e,
			      "%s: anybody may write to it and it is not sticky: chmod +t or o-w",
			      path);
	return 0;
}

/*
 * Replace an entry that another user made under the folder's name by an empty folder of ours, and
 * keep the entry beside it. In a sticky spool the spool's owner can do so: nobody can block loading
 * by taking the name. Returns 0, or -1 with e filled.
 */
static int replace_foreign(int dir, const char *path, const char *folder, struct pm_err *e)
{
	char aside[64];
	struct stat st;

	if (fstatat(dir, folder + 1, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_uid == geteuid() ||
	    st.st_uid == 0)
		return -1;
	for (int i = 0; i < FOREIGN_MAX; i++) {
		snprintf(aside, sizeof aside, ".%s.foreign-%d", folder + 1, i);
		if (mkdirat(dir, aside, 0700) == 0) {
			if (syscall(SYS_renameat2, dir, aside, dir, folder + 1, RENAME_EXCHANGE) <
			    0) {
				pm_err(e, "%s%s was made by uid %u and cannot be moved: %m", path,
				       folder, (unsigned)st.st_uid);
				unlinkat(dir, aside, AT_REMOVEDIR);
				return -1;
			}
			pm_warn("spool %s%s was made by uid %u; it is now %s/%s", path, folder,
				(unsigned)st.st_uid, path, aside);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return -1;
}

static int try_folder(int dir, const char *path, const char *folder, struct pm_err *e)
{
	int fd;

	if (mkdirat(dir, folder + 1, 0700) < 0 && errno != EEXIST)
		return pm_err(e, "create directory %s%s: %m", path, folder);
	fd = openat(dir, folder + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pm_err(e, "%s%s: %m", path, folder);
	if (check_directory(fd, path, folder, e) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Open a folder of the spool, creating it if missing. Returns a descriptor or -1 with e filled. */
static int open_folder(int dir, const char *path, const char *folder, struct pm_err *e)
{
	int fd = try_folder(dir, path, folder, e);

	if (fd < 0 && replace_foreign(dir, path, folder, e) == 0)
		fd = try_folder(dir, path, folder, e);
	return fd;
}

int pm_spool_open(struct pm_spool *s, const char *path, struct pm_err *e)
{
	s->path = path;
	s->loaded = s->failed = s->lock = -1;
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dir < 0)
		return pm_err(e, "spool %s: %m", path);
	if (check_directory(s->dir, path, "", e) == 0 &&
	    (s->loaded = open_folder(s->dir, path, "/loaded", e)) >= 0 &&
	    (s->failed = open_folder(s->dir, path, "/failed", e)) >= 0)
		return 0;
	pm_spool_close(s);
	return pm_err_prefix(e, "spool");
}

void pm_spool_close(struct pm_spool *s)
{
	int *fd[] = { &s->failed, &s->loaded, &s->dir };

	pm_spool_unlock(s);
	for (size_t i = 0; i < sizeof fd / sizeof fd[0]; i++) {
		if (*fd[i] >= 0)
			close(*fd[i]);
		*fd[i] = -1;
	}
}

int pm_spool_lock(struct pm_spool *s, struct pm_err *e)
{
	s->lock = openat(s->loaded, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return pm_err(e, "spool %s/loaded/" LOCK ": %m", s->path);
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return pm_err(e, "lock spool %s/loaded/" LOCK ": %m", s->path);
	return 1;
}

void pm_spool_unlock(struct pm_spool *s)
{
	if (s->lock < 0)
		return;
	/* A process of before that hangs may have the descriptor, too. */
	flock(s->lock, LOCK_UN);
	close(s->lock);
	s->lock = -1;
}

/* A leading dot marks a file that is still being written. */
static int is_candidate(const struct dirent *d)
{
	return d->d_name[0] != '.' && pm_archive_named(d->d_name);
}

int pm_spool_list(const struct pm_spool *s, char ***names, struct pm_err *e)
{
	struct dirent **entry = NULL;
	int n = scandirat(s->dir, ".", &entry, is_candidate, alphasort), got = 0;

	if (n < 0)
		return pm_err(e, "spool %s: %m", s->path);
	*names = calloc((size_t)n + 1, sizeof **names);
	for (int i = 0; i < n; i++) {
		if (*names && got == i && ((*names)[i] = strdup(entry[i]->d_name)) != NULL)
			got++;
		free(entry[i]);
	}
	free(entry);
	if (*names && got == n)
		return n;
	while (got > 0)
		free((*names)[--got]);
	free(*names);
	return pm_err(e, "out of memory");
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "a symbolic link";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a fifo";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

/* Microseconds since the inode's ctime, which any write, rename or link updates and the owner
 * cannot set. */
static int64_t age_of(const struct stat *st)
{
	int64_t age =
		pm_now_us() - (int64_t)st->st_ctim.tv_sec * 1000000 - st->st_ctim.tv_nsec / 1000;

	return age < -CLOCKS_DIFFER_US ? INT64_MAX : age;
}

enum pm_spool_look pm_spool_look(const struct pm_spool *s, const char *name, int64_t age_us,
				 int *fd, struct stat *st, int64_t *due_us, struct pm_err *e)
{
	struct stat first;
	int64_t age;

	/* Check for a regular file before opening: opening a device or fifo has side effects. */
	if (fstatat(s->dir, name, &first, AT_SYMLINK_NOFOLLOW) < 0) {
		pm_err(e, "%m");
		return errno == ENOENT ? PM_SPOOL_LEAVE : PM_SPOOL_AGAIN;
	}
	*st = first;
	if (!S_ISREG(first.st_mode)) {
		pm_err(e, "%s, not a regular file", kind_of(first.st_mode));
		return PM_SPOOL_ASIDE;
	}
	*fd = pm_db_open_file(s->dir, name, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0 && errno == EBUSY) {
		pm_err(e, "a file of the database itself");
		return PM_SPOOL_LEAVE;
	}
	if (*fd < 0) {
		pm_err(e, "open: %m");
		return errno == EACCES || errno == EPERM   ? PM_SPOOL_ASIDE
		       : errno == ENOENT || errno == ELOOP ? PM_SPOOL_LEAVE
							   : PM_SPOOL_AGAIN;
	}
	if (fstat(*fd, st) < 0 || !S_ISREG(st->st_mode) || st->st_ino != first.st_ino ||
	    st->st_dev != first.st_dev) {
		close(*fd);
		return PM_SPOOL_LEAVE;
	}
	age = age_of(st);
	if (age < age_us) {
		if (age_us - age < *due_us)
			*due_us = age_us - age;
		close(*fd);
		return PM_SPOOL_LEAVE;
	}
	if (st->st_nlink > 1) {
		pm_err(e, "it has %lu hard links: it may be another user's file",
		       (unsigned long)st->st_nlink);
		close(*fd);
		return PM_SPOOL_ASIDE;
	}
	return PM_SPOOL_TAKE;
}

/* Rename unless the new name exists. Returns 0, or -1 with errno, EEXIST if the name exists. */
static int rename_new(int from, const char *name, int to, const char *new_name)
{
	struct stat st;

	if (syscall(SYS_renameat2, from, name, to, new_name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* The file system lacks RENAME_NOREPLACE. This check is safe: the folders are perfmon's,
	 * and this process holds the lock. */
	if (fstatat(to, new_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, name, to, new_name);
}

/* Rename into a directory, under name `wish` or the first free N.wish; `chosen` gets the name.
 * Returns 0, or -1 with errno set. */
static int rename_free(int from, const char *name, int to, const char *wish,
		       char chosen[NAME_MAX + 1])
{
	for (unsigned i = 0; i < 100000; i++) {
		if (i == 0)
			snprintf(chosen, NAME_MAX + 1, "%s", wish);
		else
			snprintf(chosen, NAME_MAX + 1, "%u.%.*s", i, NAME_MAX - 8, wish);
		if (rename_new(from, name, to, chosen) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Write the reason beside a moved file, replacing that of a deleted file of the same name. Returns
 * 0 or -1 with e filled. */
static int write_reason(int folder, const char *name, const struct stat *st, const char *reason,
			struct pm_err *e)
{
	char file[NAME_MAX + 1], text[8192], when[32] = "";
	time_t now = time(NULL);
	size_t used;
	struct tm tm;
	int fd, rc;

	snprintf(file, sizeof file, "%.*s.reason", NAME_MAX - 7, name);
	if (gmtime_r(&now, &tm))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	/* The reason contains file names chosen by anybody and is read on a terminal, so escape
	 * it. */
	used = pm_terminal_text(text, sizeof text - 128, reason, true);
	snprintf(text + used, sizeof text - used, "\nof uid %u, %lld bytes, moved here %s\n",
		 (unsigned)st->st_uid, (long long)st->st_size, when);
	unlinkat(folder, file, 0);
	fd = openat(folder, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pm_err(e, "write %s: %m", file);
	rc = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	if (close(fd) < 0 || rc < 0)
		return pm_err(e, "write %s: %m", file);
	return 0;
}

int pm_spool_move(const struct pm_spool *s, const char *name, const struct stat *looked,
		  bool failed, const char *reason, bool remove, struct pm_err *e)
{
	int to = failed ? s->failed : s->loaded;
	char chosen[NAME_MAX + 1], back[NAME_MAX + 1];
	struct stat st;

	if (rename_free(s->dir, name, to, name, chosen) < 0)
		return pm_err(e, "move to %s/%s: %m", s->path, failed ? "failed" : "loaded");
	if (fstatat(to, chosen, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pm_err(e, "%s: %m", chosen);
	if (st.st_ino != looked->st_ino || st.st_dev != looked->st_dev ||
	    (S_ISREG(st.st_mode) &&
	     (st.st_size != looked->st_size || st.st_mtim.tv_sec != looked->st_mtim.tv_sec ||
	      st.st_mtim.tv_nsec != looked->st_mtim.tv_nsec))) {
		/* Another file took the name, or it changed: put it back for the next pass. */
		if (rename_free(to, chosen, s->dir, name, back) < 0)
			return pm_err(e, "move back from %s/%s: %m", s->path,
				      failed ? "failed" : "loaded");
		return 0;
	}
	if (remove)
		return unlinkat(to, chosen, 0) < 0 ? pm_err(e, "remove: %m") : 0;
	return reason && reason[0] ? write_reason(to, chosen, looked, reason, e) : 0;
}
