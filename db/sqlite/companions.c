/*
 * The files that SQLite makes beside a database: users who may write to the database must be able
 * to write to them. SQLite gives a new file the mode of the database, but only after open(2) has
 * applied the umask, so that for a moment other users are refused. SQLite also leaves the file in
 * the group of its creator, which is wrong in a directory without the set-group-id bit.
 */
#include "config.h"

#include "db/sqlite/companions.h"

#include "db/sqlite/files.h"
#include "db/sqlite/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Write the path of the database that a file is beside to `main`; false for any other file. */
static bool main_of(const char *path, char *main, size_t cap)
{
	const char *ending = pm_sqlite_files_ending(path);
	size_t n = ending ? (size_t)(ending - path) : 0;

	if (n == 0 || n >= cap)
		return false;
	memcpy(main, path, n);
	main[n] = '\0';
	return true;
}

/* Create an empty file, atomically with the mode and group of another. Returns 0, or -1 with errno,
 * EEXIST if the file exists. */
static int make_alike(const char *path, const char *main)
{
	char dir[PATH_MAX], link[32];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	struct stat st;
	int fd, rc = -1, saved;

	if (n >= sizeof dir)
		return -1;
	memcpy(dir, path, n);
	snprintf(dir + n, sizeof dir - n, "%s", n ? "" : slash ? "/" : ".");
	if (stat(main, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	/* A file of root's goes to the owner of the database, as in SQLite. The group stays as it
	 * is if this user is not a member of the database's group. */
	if (geteuid() != 0 || fchown(fd, st.st_uid, st.st_gid) < 0)
		(void)!fchown(fd, (uid_t)-1, st.st_gid);
	if (fchmod(fd, st.st_mode & 0777) == 0)
		rc = linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

/* open(2) for SQLite. Tries again if another process removes the new file before it is opened. A
 * user who may not write to the database creates no file, since those who may could not write to
 * that user's file. */
static int open_file(const char *path, int flags, int mode)
{
	char main[PATH_MAX];

	if ((flags & O_CREAT) && !(flags & O_EXCL) && main_of(path, main, sizeof main)) {
		for (int i = 0; i < 8; i++) {
			int fd = open(path, flags & ~O_CREAT);

			if (fd >= 0 || errno != ENOENT)
				return fd;
			if (faccessat(AT_FDCWD, main, W_OK, AT_EACCESS) < 0)
				return -1;
			/* A file system without O_TMPFILE: create the file as SQLite does. */
			if (make_alike(path, main) < 0 && errno != EEXIST)
				break;
		}
	}
	return open(path, flags, (mode_t)mode);
}

void pm_sqlite_beside_share(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

	if (vfs && vfs->iVersion >= 3 && vfs->xSetSystemCall)
		vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_file);
}
