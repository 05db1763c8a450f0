/*
 * The files that SQLite makes beside a database: who may write to the one must be able to write to
 * the others. SQLite gives a new one the mode of the database, but only after the umask took from
 * it, so that for a moment others are turned away, and it leaves the file in the group of who made
 * it, which is the wrong one in a directory without the set-group-id bit.
 */
#include "config.h"

#include "db/sqlite_beside.h"

#include "db/sqlite_files.h"
#include "db/sqlite_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The database that a file is beside: its path in `main`. */
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

/* Make an empty file of the mode and group of another one: at once, or not at all. 0 or -1 with
 * errno, EEXIST where there is one. */
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
	/* Root's belongs to the owner of the database, as SQLite has it. The group stays where one
	 * is not in it. */
	if (geteuid() != 0 || fchown(fd, st.st_uid, st.st_gid) < 0)
		(void)!fchown(fd, (uid_t)-1, st.st_gid);
	if (fchmod(fd, st.st_mode & 0777) == 0)
		rc = linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

/* SQLite's open(2). Somebody else may remove the file again before it is opened. Who may not write
 * to the database makes none: its writers could not write to that. */
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
			/* A file system that cannot: SQLite's own way. */
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
