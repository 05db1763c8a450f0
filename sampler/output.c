/* Append series to a file or a stream. */
#include "config.h"

#include "sampler/output.h"

#include "common/trusted.h"
#include "common/writeall.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Maximum number of files of one host in one directory. */
#define ROTATIONS_MAX 1000000

/* --- opening ---------------------------------------------------------------------------------- */

/* Lock the opened file. *used: it is not empty. Returns 0, or -1 with e filled. */
static int claim_file(int fd, const char *name, bool *used, struct pm_err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pm_err(e, "%s: %m", name);
	/* The kernel releases the lock however the process ends. Do without a lock where the file
	 * system has none. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return pm_err(e, "%s: another sampler is writing to this file", name);
	*used = st.st_size > 0;
	return 0;
}

/* Open the file with this number, 0 for none. Returns the descriptor, or -1 with errno set and e
 * filled. */
static int open_number(const struct pm_output *o, unsigned number, bool *used, struct pm_err *e)
{
	char name[HOST_NAME_MAX + sizeof ".1000000.series"];
	int dir = open(o->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd, saved;

	if (dir < 0)
		return pm_err(e, "open %s: %m", o->directory);
	if (number)
		snprintf(name, sizeof name, "%s.%u.series", o->hostname, number);
	else
		snprintf(name, sizeof name, "%s.series", o->hostname);
	fd = pm_trusted_open(dir, name, O_WRONLY | O_APPEND | O_CREAT | (number ? O_EXCL : 0), 0600,
			     e);
	saved = errno;
	if (fd < 0)
		pm_err_prefix(e, "%s", o->directory);
	close(dir);
	if (fd >= 0 && claim_file(fd, name, used, e) < 0) {
		close(fd);
		fd = -1;
		saved = EBUSY;
	}
	errno = saved;
	return fd;
}

int pm_output_open(struct pm_output *o, const char *directory, const char *hostname,
		   struct pm_err *e)
{
	memset(o, 0, sizeof *o);
	o->fd = -1;
	o->directory = strdup(directory);
	o->hostname = strdup(hostname);
	if (!o->directory || !o->hostname)
		pm_err(e, "series file: out of memory");
	else
		o->fd = open_number(o, 0, &o->newline_due, e);
	if (o->fd >= 0) {
		o->own_fd = true;
		return 0;
	}
	pm_output_close(o);
	return -1;
}

void pm_output_stream(struct pm_output *o, int fd, bool patient)
{
	memset(o, 0, sizeof *o);
	o->fd = fd;
	o->patient = patient;
}

int pm_output_rotate(struct pm_output *o, struct pm_err *e)
{
	bool used;
	int fd = -1;

	for (unsigned i = 1; fd < 0 && i < ROTATIONS_MAX; i++) {
		fd = open_number(o, i, &used, e);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd < 0)
		return -1;
	close(o->fd);
	o->fd = fd;
	o->newline_due = false;
	return 0;
}

void pm_output_close(struct pm_output *o)
{
	if (o->own_fd && o->fd >= 0)
		close(o->fd);
	free(o->directory);
	free(o->hostname);
	memset(o, 0, sizeof *o);
	o->fd = -1;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Whether n bytes can be written without waiting for a reader. */
static bool has_room(int fd, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int capacity, waiting;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLERR | POLLHUP))
		return true; /* write(2) will return the error */
	capacity = fcntl(fd, F_GETPIPE_SZ);
	/* Of a descriptor that is no pipe, poll(2) tells all that can be known. */
	if (capacity < 0 || ioctl(fd, FIONREAD, &waiting) < 0 || n <= PIPE_BUF)
		return true;
	/* Only an empty pipe surely has room: its pages may be partly filled. */
	return waiting == 0 && n <= (size_t)capacity;
}

int pm_output_write(struct pm_output *o, char *text, size_t n)
{
	if (o->patient && !has_room(o->fd, n + 1)) {
		errno = EAGAIN;
		return -1;
	}
	if (o->newline_due) {
		*--text = '\n';
		n++;
	}
	/* After a failure the next text begins on a line of its own. */
	o->newline_due = true;
	if (pm_write_all(o->fd, text, n) < 0)
		return -1;
	o->newline_due = false;
	return 0;
}

/* --- checkpoints ------------------------------------------------------------------------------ */

int pm_output_sync(struct pm_output *o)
{
	const pid_t self = getpid();

	if (!o->own_fd || o->sync)
		return -1;
	/* Sync in a child: the ticks must not wait for a slow disk. */
	o->sync = fork();
	if (o->sync == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		_exit(fdatasync(o->fd) == 0 ? 0 : 1);
	}
	if (o->sync > 0)
		return 0;
	o->sync = 0;
	return -1;
}

bool pm_output_synced(struct pm_output *o, bool *done)
{
	int status;

	if (!o->sync || waitpid(o->sync, &status, WNOHANG) == 0)
		return false;
	o->sync = 0;
	*done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return true;
}
