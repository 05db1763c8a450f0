/*
 * Who writes to an SQLite database: its locks are POSIX locks on bytes that its file formats
 * document (https://www.sqlite.org/fileformat2.html, walformat.html section 2.3.1, lockingv3.html).
 * Asking the kernel for them changes nothing, waits for nobody, and tells the holder.
 */
#include "config.h"

#include "db/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Byte 18 of the file, the version to write: 2 in WAL mode. */
#define HEAD_WRITE_VERSION 18
#define VERSION_WAL        2

/* WAL: the writer's byte of the index, the file -shm. Else: PENDING and RESERVED of the file. */
#define WAL_WRITE_LOCK 120
#define PENDING_BYTE   0x40000000

/* Whether somebody else has these bytes. Returns 1, 0 or -1 with e filled. */
static int is_locked(const char *path, off_t from, off_t n, long *pid, struct pm_err *e)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = n
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

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

int pm_sqlite_locked(const char *path, long *pid, struct pm_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char index[PATH_MAX + 8];
	unsigned char version = 0;
	int rc;

	*pid = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", path);
	if (pread(fd, &version, 1, HEAD_WRITE_VERSION) < 0)
		version = 0;
	close(fd);
	/* Whoever has it alone, in either mode. */
	rc = is_locked(path, PENDING_BYTE, 2, pid, e);
	if (rc != 0 || version != VERSION_WAL)
		return rc;
	snprintf(index, sizeof index, "%s-shm", path);
	return is_locked(index, WAL_WRITE_LOCK, 1, pid, e);
}
