/* A pager for long text on a terminal. */
#include "config.h"

#include "report/print/pager.h"

#include "common/settings/readconfig.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pager, from pm_pager_begin() to pm_pager_end(). */
static struct {
	pid_t pid; /* 0: none */
	const char *command;
} pager;

/* Whether a program is in PATH. */
static int is_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (size_t len; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if ((size_t)snprintf(file, sizeof file, "%.*s/%s", (int)len, path, name) <
			    sizeof file &&
		    access(file, X_OK) == 0)
			return 1;
	}
	return 0;
}

/* Run the pager with its input from fd; does not return. */
static void run(int fd, int other)
{
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(127);
	close(fd);
	close(other);
	/* Leave at once what fits the screen, show colours, keep the text on the screen. */
	if (setenv("LESS", "FRX", 0) == 0)
		execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
	_exit(127);
}

int pm_pager_begin(struct pm_err *e)
{
	int fd[2];

	pager.pid = 0;
	if (!isatty(STDOUT_FILENO))
		return 0;
	pager.command = pm_config_get(PM_SET_pager);
	if (!*pager.command)
		pager.command = is_program("less") ? "less" : "cat";
	if (strcmp(pager.command, "cat") == 0)
		return 0;
	fflush(stdout);
	if (pipe(fd) < 0)
		return pm_err(e, "start a pager: %m");
	pager.pid = fork();
	if (pager.pid == 0)
		run(fd[0], fd[1]);
	close(fd[0]);
	if (pager.pid < 0 || dup2(fd[1], STDOUT_FILENO) < 0) {
		pager.pid = pager.pid < 0 ? 0 : pager.pid;
		close(fd[1]);
		return pm_err(e, "start a pager: %m");
	}
	close(fd[1]);
	/* A key that interrupts is for the pager, which may do something else than end. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	/* It may end before all is written. */
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

bool pm_pager_left(void)
{
	return pager.pid && (fflush(stdout) != 0 || ferror(stdout));
}

int pm_pager_end(struct pm_err *e)
{
	int status = 0;

	if (!pager.pid)
		return 0;
	fflush(stdout);
	if (pm_pager_left()) {
		__fpurge(stdout);
		clearerr(stdout);
	}
	close(STDOUT_FILENO);
	while (waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	pager.pid = 0;
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return pm_err(e, "the pager %s cannot be run: see the setting pager, or --no-pager",
			      pager.command);
	return 0;
}
