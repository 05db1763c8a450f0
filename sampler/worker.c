/* Reader processes: the sampling loop's view of its workers. */
#include "config.h"

#include "sampler/worker.h"

#include "common/descriptors.h"
#include "sampler/kernel/devicefile.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Delay of a restart after failures in a row: none at first, then this, doubled up to a limit. */
#define RETRY_US      1000000
#define RETRY_MOST_US 300000000

/* A worker that lived this long ends a row of failures. */
#define HEALTHY_US 60000000

/* Smallest receive buffer. */
#define RECEIVE_LEAST 16384

/* The reader's end of the socket. */
#define READER_FD 3

int pm_worker_init(struct pm_worker *w, const char *name)
{
	memset(w, 0, sizeof *w);
	w->fd = -1;
	snprintf(w->name, sizeof w->name, "perfmon:%s", name);
	w->shared = mmap(NULL, sizeof *w->shared, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->shared != MAP_FAILED)
		return 0;
	w->shared = NULL;
	return -1;
}

/* --- the child process ------------------------------------------------------------------------ */

/* Close the loop's descriptors: a reader that hangs must not keep its files and pipes open. */
static void leave_loop(int fd)
{
	int null;

	if (fd != READER_FD)
		dup2(fd, READER_FD);
	pm_descriptors_close(pm_devicefile_move_held(pm_log_move(READER_FD + 1)));
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	fcntl(READER_FD, F_SETFD, FD_CLOEXEC);
}

_Noreturn static void run_reader(const struct pm_worker *w, int fd, pid_t loop,
				 const struct pm_workermain_options *options)
{
	struct pm_workermain_options own = *options;
	sigset_t set;

	/* Die with the loop even if stopped, and even if the loop is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != loop)
		_exit(0);
	prctl(PR_SET_NAME, w->name);
	leave_loop(fd);
	/* SIGINT and SIGTERM stay blocked: a terminal's interrupt goes to all processes, and the
	 * loop still wants the last reading. */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	own.shared = w->shared;
	own.tree = w->tree;
	pm_workermain_run(READER_FD, &own);
	_exit(0);
}

/* Note that a worker has ended or cannot be started, and set the time of the next try. */
static void note_failure(struct pm_worker *w, int64_t now_us)
{
	int64_t delay = 0;

	if (now_us - w->started_us >= HEALTHY_US)
		w->row = 0;
	for (unsigned i = 0; i < w->row && delay < RETRY_MOST_US; i++)
		delay = delay ? 2 * delay : RETRY_US;
	w->retry_us = now_us + (delay < RETRY_MOST_US ? delay : RETRY_MOST_US);
	w->row++;
}

int pm_worker_start(struct pm_worker *w, const struct pm_workermain_options *options,
		    int64_t now_us, struct pm_err *e)
{
	const pid_t self = getpid();
	int pair[2];

	w->shared->reading = -1;
	/* The kept tree itself may have crashed the worker. */
	if (w->row > 1)
		pm_tree_memory_forget(&w->shared->tree);
	w->busy = false;
	w->bytes.n = 0;
	w->started_us = now_us;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		note_failure(w, now_us);
		return pm_err(e, "%s: socketpair: %m", w->name);
	}
	w->pid = fork();
	if (w->pid == 0)
		run_reader(w, pair[1], self, options);
	close(pair[1]);
	if (w->pid < 0) {
		close(pair[0]);
		w->pid = 0;
		note_failure(w, now_us);
		return pm_err(e, "%s: fork: %m", w->name);
	}
	w->fd = pair[0];
	return 0;
}

/* --- requests and answers --------------------------------------------------------------------- */

void pm_worker_ask(struct pm_worker *w, const bool *wanted, int64_t now_us)
{
	struct pm_request request = { .number = ++w->number };

	for (int i = 0; i < PM_SOURCES; i++)
		request.read[i] = w->requested[i] = w->member[i] && wanted[i];
	w->busy = true;
	w->asked_us = now_us;
	/* The socket has room for one request. On an error the worker is ending: receiving will
	 * show that. */
	if (send(w->fd, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		pm_debug("%s: ask: %m", w->name);
}

/* The size of the message being received, or of its head until that is there. */
static size_t message_size(const struct pm_worker *w)
{
	struct pm_message m;

	if (w->bytes.n < sizeof m)
		return sizeof m;
	memcpy(&m, w->bytes.p, sizeof m);
	return sizeof m + m.length;
}

/* Receive at least n bytes; mostly more, since a message usually comes in one piece. Returns 1 when
 * they are there, 0 when not yet, -1 at the end or on an error. */
static int receive_bytes(struct pm_worker *w, size_t n)
{
	struct pm_bytes *b = &w->bytes;

	if (b->capacity < n) {
		size_t capacity = n < RECEIVE_LEAST ? RECEIVE_LEAST : n;
		void *more = realloc(b->p, capacity);

		if (!more)
			return -1;
		b->p = more;
		b->capacity = capacity;
	}
	while (b->n < n) {
		ssize_t got = recv(w->fd, b->p + b->n, b->capacity - b->n, MSG_DONTWAIT);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got <= 0)
			return -1;
		b->n += (size_t)got;
	}
	return 1;
}

int pm_worker_receive(struct pm_worker *w, const unsigned char **body)
{
	int rc = receive_bytes(w, sizeof w->message);

	if (rc <= 0)
		return rc;
	memcpy(&w->message, w->bytes.p, sizeof w->message);
	if (!w->busy || !pm_message_is(&w->message) || w->message.number != w->number)
		return -1;
	rc = receive_bytes(w, message_size(w));
	if (rc <= 0)
		return rc;
	*body = w->bytes.p + sizeof w->message;
	w->bytes.n = 0;
	w->busy = false;
	return 1;
}

/* --- the end ---------------------------------------------------------------------------------- */

void pm_worker_kill(struct pm_worker *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	if (w->pid)
		kill(w->pid, SIGKILL);
}

bool pm_worker_reap(struct pm_worker *w, int64_t now_us, int *source)
{
	int status;

	if (!w->pid || waitpid(w->pid, &status, WNOHANG) == 0)
		return false;
	*source = w->shared->reading;
	if (*source < 0 || *source >= PM_SOURCES || !w->member[*source])
		*source = -1;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	w->pid = 0;
	w->busy = false;
	w->past_user_us += w->message.user_us;
	w->past_system_us += w->message.system_us;
	memset(&w->message, 0, sizeof w->message);
	note_failure(w, now_us);
	return true;
}

void pm_worker_close(struct pm_worker *w)
{
	pm_worker_kill(w);
	if (w->shared)
		munmap(w->shared, sizeof *w->shared);
	free(w->bytes.p);
	memset(w, 0, sizeof *w);
	w->fd = -1;
}
