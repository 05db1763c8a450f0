/*
 * Find the process that writes to an SQLite database. SQLite's locks are POSIX locks on bytes that
 * its file formats document (https://www.sqlite.org/fileformat2.html, walformat.html section 2.3.1,
 * lockingv3.html). Querying such locks changes nothing, does not wait, and tells the holder.
 */
#include "config.h"

#include "db/sqlite/lock.h"

#include "db/engine.h"
#include "db/sqlite/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Bytes that only writers lock: PENDING and RESERVED of the database, in either mode, and the
 * writer's byte of the WAL index. */
static const struct {
	int beside; /* enum pm_sqlite_beside, -1 for the database itself */
	off_t first, last;
} writers[] = {
	{ -1, 0x40000000, 0x40000001 },
	{ PM_SQLITE_INDEX, 120, 120 },
};

#define WRITERS (sizeof writers / sizeof writers[0])

/* Path of the file with the bytes of writers[i], to be freed; NULL if out of memory. */
static char *path_of(const char *database, size_t i)
{
	char *path;

	if (writers[i].beside >= 0)
		return pm_sqlite_files_beside(database, (enum pm_sqlite_beside)writers[i].beside);
	return asprintf(&path, "%s", database) < 0 ? NULL : path;
}

/* Pid of the process with a write lock on bytes of a file, from /proc/locks, which does not list
 * other hosts; 0 for none known. */
static long find_writer(const struct stat *st, off_t first, off_t last)
{
	unsigned long long inode, from;
	unsigned major_, minor_;
	char line[160], to[24];
	long pid, found = 0;
	FILE *f = fopen("/proc/locks", "re");

	/* proc_locks(5) */
	while (f && !found && fgets(line, sizeof line, f))
		if (sscanf(line, "%*d: POSIX %*s WRITE %ld %x:%x:%llu %llu %23s", &pid, &major_,
			   &minor_, &inode, &from, to) == 6 &&
		    inode == st->st_ino && major_ == major(st->st_dev) &&
		    minor_ == minor(st->st_dev) && from <= (unsigned long long)last &&
		    strtoull(to, NULL, 10) >= (unsigned long long)first && pid > 0 &&
		    pid != getpid())
			found = pid;
	if (f)
		fclose(f);
	return found;
}

long pm_sqlite_lock_holder(const char *database)
{
	char *real = realpath(database, NULL);
	struct stat st;
	long pid = 0;

	for (size_t i = 0; real && pid == 0 && i < WRITERS; i++) {
		char *path = path_of(real, i);

		if (path && stat(path, &st) == 0)
			pid = find_writer(&st, writers[i].first, writers[i].last);
		free(path);
	}
	free(real);
	return pid;
}

/* Whether another process has locked bytes of a file. Returns 1 with *pid, 0, or -1 with e filled.
 */
static int is_locked(const char *path, off_t first, off_t last, long *pid, struct pm_err *e)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = first,
		.l_len = last - first + 1,
	};
	struct stat st;
	int fd, rc;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", path);
	if (pm_sqlite_is_file(&st)) {
		*pid = find_writer(&st, first, last);
		return *pid > 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", path);
	rc = fcntl(fd, F_GETLK, &lock);
	if (rc < 0)
		pm_err(e, "%s: %m", path);
	close(fd);
	if (rc < 0 || lock.l_type == F_UNLCK)
		return rc;
	/* -1: the holder is on another host, or an open file description. */
	*pid = lock.l_pid > 0 ? lock.l_pid : 0;
	return 1;
}

int pm_sqlite_locked(const char *database, long *pid, struct pm_err *e)
{
	char *real = realpath(database, NULL);
	int rc = 0;

	*pid = 0;
	if (!real)
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", database);
	for (size_t i = 0; rc == 0 && i < WRITERS; i++) {
		char *path = path_of(real, i);

		rc = path ? is_locked(path, writers[i].first, writers[i].last, pid, e)
			  : pm_err(e, "out of memory");
		free(path);
	}
	free(real);
	return rc;
}
