/*
 * fdinfo FOLDER COMMAND [ARGUMENT...]: run the command, and all processes that it forks, with the
 * folder in place of /proc/PID/fdinfo: a stand-in for what drivers tell there of descriptors. Each
 * process is stopped as it begins, so that it sees nothing else. Exits with the command's status;
 * 125 where that cannot be done, as without the right to mount or trace.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 125

static int put_over(pid_t pid, const char *folder)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fdinfo", (int)pid);
	return mount(folder, path, NULL, MS_BIND, NULL);
}

int main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	int status, result = FAILED;
	pid_t first, pid;

	if (argc < 3)
		return FAILED;
	first = fork();
	if (first == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(FAILED);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(FAILED);
	}
	if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, first, 0, options) < 0 || put_over(first, argv[1]) < 0) {
		perror("fdinfo");
		return FAILED;
	}
	ptrace(PTRACE_CONT, first, 0, 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (pid < 0)
			continue;
		if (pid == first && WIFEXITED(status))
			result = WEXITSTATUS(status);
		else if (pid == first && WIFSIGNALED(status))
			result = 128 + WTERMSIG(status);
		if (!WIFSTOPPED(status))
			continue;
		/* A new process stops so; a thread has its process's folder. */
		if (signal == SIGSTOP)
			put_over(pid, argv[1]);
		ptrace(PTRACE_CONT, pid, 0, signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
	}
	return result;
}
