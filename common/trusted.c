/* Open files safely in directories that may belong to another user; find directories that do not.
 */
#include "config.h"

#include "common/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The reason why an open file is not trusted, with errno set; NULL if it is trusted. */
static const char *refusal_reason(int dir, int fd, bool writes)
{
	const uid_t self = geteuid();
	struct stat st, above;

	if (fstat(fd, &st) < 0 || fstat(dir, &above) < 0)
		return "cannot be examined (fstat failed)";
	errno = EPERM;
	if (!S_ISREG(st.st_mode))
		return "not a regular file";
	if (writes && st.st_uid != self && (self != 0 || st.st_uid != above.st_uid))
		return "belongs to another user";
	if (!writes && self == 0 && above.st_uid != 0 && st.st_uid != 0 &&
	    st.st_uid != above.st_uid)
		return "owner differs from its directory's owner";
	errno = EMLINK;
	if (st.st_nlink > 1 && (writes || (self == 0 && above.st_uid != 0)))
		return "has a second hard link";
	return NULL;
}

int pm_trusted_open(int dir, const char *name, int flags, mode_t mode, struct pm_err *e)
{
	const bool writes = (flags & O_ACCMODE) != O_RDONLY;
	int fd = openat(dir, name,
			(flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	const char *why = "";
	int saved;

	if (fd < 0) {
		saved = errno;
		pm_err(e, "open %s: %m", name);
	} else {
		why = refusal_reason(dir, fd, writes);
		if (!why && (!(flags & O_TRUNC) || ftruncate(fd, 0) == 0))
			return fd;
		saved = errno;
		pm_err(e, "%s: %s", name, why ? why : "cannot be truncated");
		close(fd);
	}
	errno = saved;
	return -1;
}

int pm_trusted_append(int dir, const char *name, off_t *size, struct pm_err *e)
{
	int fd = pm_trusted_open(dir, name, O_WRONLY | O_CREAT | O_APPEND, 0600, e), saved;
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		*size = st.st_size;
		return fd;
	}
	saved = errno;
	pm_err(e, "%s: %m", name);
	close(fd);
	errno = saved;
	return -1;
}

bool pm_trusted_others_write(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && st->st_gid != getegid());
}

/* Check one directory of a path. Returns 0, or -1 with errno and e filled. */
static int check_directory(const char *path, struct pm_err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return pm_err(e, "%s: %m", path);
	errno = EPERM;
	if (!S_ISDIR(st.st_mode))
		return pm_err(e, "%s: not a directory", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return pm_err(e, "%s: belongs to uid %u, who could exchange what is in it", path,
			      (unsigned)st.st_uid);
	if (pm_trusted_others_write(&st) && !(st.st_mode & S_ISVTX))
		return pm_err(e,
			      "%s: others may write to it, and could exchange what is in it: chmod "
			      "go-w or +t",
			      path);
	return 0;
}

char *pm_trusted_directory(const char *path, struct pm_err *e)
{
	char *real = realpath(path, NULL);
	int rc, saved;

	if (!real) {
		saved = errno;
		pm_err(e, "%s: %m", path);
		errno = saved;
		return NULL;
	}
	rc = check_directory("/", e);
	for (char *p = real + 1; rc == 0 && p[-1]; p++) {
		char end = *p;

		if (end && end != '/')
			continue;
		*p = '\0';
		rc = real[1] ? check_directory(real, e) : 0;
		*p = end;
		if (!end)
			break;
	}
	if (rc == 0)
		return real;
	saved = errno;
	free(real);
	errno = saved;
	return NULL;
}
