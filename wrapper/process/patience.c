/* Wait for a child with a time limit that does not count its waiting for a CPU. */
#include "config.h"

#include "wrapper/process/patience.h"

#include "common/now.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Factor by which a child that only waits for a CPU may exceed the limit. */
#define LIMITS_MAX 10

/* Poll interval once the child is over its limit. */
#define LOOK_MS 20

#define READ_BYTES 16384

/* The time in µs that a process has waited for a CPU: /proc/PID/schedstat, the second number, in
 * ns. 0: unknown. */
static int64_t waited_us(pid_t pid)
{
	unsigned long long ran, waited = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	if (f)
		fclose(f);
	return (int64_t)(waited / 1000);
}

/* Time left to the child, in ms for poll(); 0: the child is late. */
static int left_ms(pid_t pid, int64_t began_us, int64_t limit_us)
{
	int64_t passed = pm_now_monotonic_us() - began_us;

	if (passed < limit_us)
		return (int)((limit_us - passed) / 1000) + 1;
	if (passed >= LIMITS_MAX * limit_us || passed - waited_us(pid) >= limit_us)
		return 0;
	return LOOK_MS;
}

/* The child's output so far. */
struct result {
	char *text;
	size_t size, room;
};

/* Read once from fd. Returns 1 at the end of the output, 0 before it, -1 with errno. */
static int read_output(struct result *r, int fd)
{
	ssize_t n;

	if (r->room - r->size < READ_BYTES + 1) {
		size_t room = r->room + 2 * READ_BYTES;
		char *more = realloc(r->text, room);

		if (!more)
			return -1;
		r->text = more;
		r->room = room;
	}
	n = read(fd, r->text + r->size, READ_BYTES);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	r->size += (size_t)n;
	r->text[r->size] = '\0';
	return n == 0;
}

/* Read the child's output until the child closes its end. Returns 0, or -1 with e filled: late, or
 * a read failed. */
static int collect_output(struct result *r, int fd, pid_t pid, int64_t limit_us, struct pm_err *e)
{
	int64_t began_us = pm_now_monotonic_us();

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int ms = left_ms(pid, began_us, limit_us), got;

		/* Output that is in the pipe by now counts as in time, however late we read it. */
		got = poll(&p, 1, ms);
		if (got == 0 && ms == 0)
			return pm_err(e, "no answer within %lld ms", (long long)limit_us / 1000);
		got = got > 0 ? read_output(r, fd) : 0;
		if (got < 0)
			return pm_err(e, "read from the child: %m");
		if (got > 0)
			return 0;
	}
}

int pm_patience_run(int (*work)(void *ctx, int fd), void *ctx, int64_t limit_us, char **text,
		    size_t *size, struct pm_err *e)
{
	struct result r = { NULL, 0, 0 };
	int pair[2], status = 0, rc;
	pid_t pid, self = getpid();

	*text = NULL;
	*size = 0;
	/* With SIGCHLD ignored, as we may have inherited it, the child's status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return pm_err(e, "pipe: %m");
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		/* If Slurm kills our parent, nobody needs the result. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		_exit(work(ctx, pair[1]) == 0 ? 0 : 1);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return pm_err(e, "fork: %m");
	}
	rc = collect_output(&r, pair[0], pid, limit_us, e);
	close(pair[0]);
	if (rc < 0) {
		/* The child may be in uninterruptible sleep on a disk, so do not wait for its end
		 * either. */
		kill(pid, SIGKILL);
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
	}
	if (rc != 0) {
		free(r.text);
		return rc;
	}
	*text = r.text;
	*size = r.size;
	return 0;
}
