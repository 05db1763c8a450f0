/* Run a command of the site, within a limit. */
#include "config.h"

#include "manage/analyze_command.h"

#include "common/now.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX 8
#define PAUSE_NS 10000000

/* A file that has the text, from its beginning: a pipe would make us wait for its reader. Returns a
 * descriptor, or -1 with e filled. */
static int make_input(const char *text, struct pm_err *e)
{
	const size_t n = strlen(text);
	int fd = memfd_create("analyze", MFD_CLOEXEC);

	if (fd < 0)
		return pm_err(e, "memfd_create: %m");
	if (write(fd, text, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return pm_err(e, "write %zu bytes to memory: %m", n);
	}
	return fd;
}

/* In the child: become the command. */
static void become(const char *command, const char *const *args, int input)
{
	const char *argv[ARGS_MAX + 5] = { "sh", "-c", command, "analyze_command" };

	for (int i = 0; i < ARGS_MAX && args[i]; i++)
		argv[i + 4] = args[i];
	setpgid(0, 0);
	if (dup2(input, STDIN_FILENO) == STDIN_FILENO)
		execv("/bin/sh", (char *const *)argv);
	_exit(127);
}

/* Wait for the end until a time by the monotonic clock, us. Returns 1 with its status, 0 if it
 * still runs, or -1. */
static int wait_until(pid_t pid, int64_t until_us, int *status)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 && pm_now_monotonic_us() < until_us)
		nanosleep(&pause, NULL);
	return got == pid ? 1 : got == 0 ? 0 : -1;
}

int pm_analyze_command(const char *command, const char *const *args, const char *input,
		       int64_t limit_us, struct pm_err *e)
{
	int fd = make_input(input, e), status = 0, rc;
	pid_t pid;

	if (fd < 0)
		return pm_err_prefix(e, "analyze_command");
	pid = fork();
	if (pid == 0)
		become(command, args, fd);
	close(fd);
	if (pid < 0)
		return pm_err(e, "analyze_command: fork: %m");
	setpgid(pid, pid);
	rc = wait_until(pid, pm_now_monotonic_us() + limit_us, &status);
	if (rc == 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		return pm_err(e, "analyze_command: killed after %g s (setting analyze_limit)",
			      (double)limit_us / 1e6);
	}
	if (rc < 0)
		return pm_err(e, "analyze_command: wait: %m");
	if (WIFSIGNALED(status))
		return pm_err(e, "analyze_command: killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status)
		       ? pm_err(e, "analyze_command: exit status %d", WEXITSTATUS(status))
		       : 0;
}
