/* Run a child process: fork, exec, wait, and forward signals meanwhile. */
#include "config.h"

#include "wrapper/process/child.h"

#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signals that are forwarded to the child, if a process sent them. The kernel sends those of
 * the terminal, such as SIGINT, to the whole foreground group, and so to the child itself. */
static const int forwarded[] = {
	SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1,   SIGUSR2,
	SIGALRM, SIGWINCH, SIGXCPU, SIGURG,  SIGVTALRM, SIGPROF,
};

#define FORWARDED (sizeof forwarded / sizeof forwarded[0])

/* From pm_child_start to the end of the program. */
static struct {
	volatile sig_atomic_t pid;
	volatile sig_atomic_t interrupted; /* SIGINT reached us */
	volatile sig_atomic_t asked;       /* a signal arrived that asks us to end */
	struct sigaction before[FORWARDED];
	struct sigaction chld_before;
	sigset_t mask_before;
} state;

static void forward_signal(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (sig == SIGINT)
		state.interrupted = 1;
	/* The others ask the command to end. */
	if (sig != SIGWINCH && sig != SIGURG)
		state.asked = 1;
	/* Forward signals that a process sent (si_code <= 0), and SIGALRM: exec kept the timer that
	 * the caller had set for the command. */
	if (state.pid > 0 && (info->si_code <= 0 || sig == SIGALRM))
		kill(state.pid, sig);
	errno = saved;
}

static void block_forwarded(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &state.mask_before);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_sigaction = forward_signal,
				.sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < FORWARDED; i++) {
		sigaction(forwarded[i], NULL, &state.before[i]);
		/* A signal that was ignored when we started (nohup) stays ignored, here and in the
		 * child. */
		if (state.before[i].sa_handler != SIG_IGN)
			sigaction(forwarded[i], &sa, NULL);
	}
	/* A process that ignores SIGCHLD gets no status from wait. */
	sigaction(SIGCHLD, &dfl, &state.chld_before);
}

/* In the child: restore the signals as perfmon found them. */
static void restore_signals(void)
{
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &state.before[i], NULL);
	sigaction(SIGCHLD, &state.chld_before, NULL);
	sigprocmask(SIG_SETMASK, &state.mask_before, NULL);
}

void pm_child_exec(char **argv, char **envp)
{
	char **own = environ;

	environ = envp;
	execvp(argv[0], argv);
	if (errno == E2BIG && envp != own) {
		/* The command must not fail because our few variables make the environment too
		 * big. */
		environ = own;
		execvp(argv[0], argv);
	}
}

static void run_child(char **argv, char **envp, int report, const int gate[2])
{
	int why;
	ssize_t ignored;
	char none;

	/* Wait until the parent closes its end of this pipe; forwarded signals stay blocked. */
	if (gate[0] >= 0) {
		close(gate[1]);
		while (read(gate[0], &none, 1) < 0 && errno == EINTR)
			;
	}
	restore_signals();
	pm_child_exec(argv, envp);
	why = errno;
	ignored = write(report, &why, sizeof why);
	(void)ignored;
	_exit(why == ENOENT || why == ENOTDIR ? PM_CHILD_NOT_FOUND : PM_CHILD_NOT_EXECUTABLE);
}

int pm_child_start(struct pm_child *c, char **argv, char **envp, void (*born)(pid_t pid),
		   struct pm_err *e)
{
	int report[2], gate[2] = { -1, -1 };
	ssize_t n;

	memset(c, 0, sizeof *c);
	if (pipe2(report, O_CLOEXEC) < 0)
		return pm_err(e, "cannot create a pipe to start the command: %m");
	if (born && pipe2(gate, O_CLOEXEC) < 0)
		born = NULL;
	block_forwarded();
	catch_signals();
	c->pid = fork();
	if (c->pid == 0)
		run_child(argv, envp, report[1], gate);
	state.pid = c->pid;
	/* The child goes on when our end of the gate closes, even by our death. */
	if (born) {
		if (c->pid > 0)
			born(c->pid);
		close(gate[0]);
		close(gate[1]);
	}
	sigprocmask(SIG_SETMASK, &state.mask_before, NULL);
	close(report[1]);
	if (c->pid < 0) {
		close(report[0]);
		return pm_err(e, "fork: %m");
	}
	/* A successful exec closes the pipe; after a failed exec the child writes errno to it. */
	do
		n = read(report[0], &c->exec_errno, sizeof c->exec_errno);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof c->exec_errno)
		c->exec_errno = 0;
	close(report[0]);
	return 0;
}

int pm_child_wait(struct pm_child *c, struct pm_err *e)
{
	pid_t pid;

	do
		pid = wait4(c->pid, &c->status, 0, &c->usage);
	while (pid < 0 && errno == EINTR);
	/* From here on the pid may be another process's. */
	state.pid = 0;
	return pid == c->pid ? 0 : pm_err(e, "wait: %m");
}

void pm_child_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void wake_up(int sig)
{
	(void)sig;
}

int pm_child_reap_orphans(void (*ended)(const struct pm_child *c, void *arg), void *arg)
{
	struct sigaction sa = { .sa_handler = wake_up };
	sigset_t before, set;
	int rc = -1;

	/* Block the signals: none may arrive between wait4 and sigsuspend. */
	state.asked = 0;
	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigdelset(&before, SIGCHLD);
	while (rc < 0) {
		struct pm_child c = { .pid = 0 };

		c.pid = wait4(-1, &c.status, WNOHANG, &c.usage);
		if (c.pid > 0)
			ended(&c, arg);
		else if (c.pid < 0)
			rc = 0;
		else if (state.asked)
			rc = 1;
		else
			sigsuspend(&before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* Whether a directory of PATH has the name; directories that we may not search do not count. */
static int is_in_path(const char *command)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n + strlen(command) + 2 <= sizeof file) {
			snprintf(file, sizeof file, "%.*s%s%s", (int)n, path, n ? "/" : "",
				 command);
			if (access(file, F_OK) == 0)
				return 1;
		}
		path += n + (path[n] == ':');
	}
	return 0;
}

int pm_child_complain(const char *command, int why)
{
	/* For a missing name execvp says EACCES if it may not search a directory of PATH. */
	if (why == EACCES && !strchr(command, '/') && !is_in_path(command))
		why = ENOENT;
	if (why == ENOENT || why == ENOTDIR) {
		/* Users of EPMT give the whole command line as one word. */
		pm_error("%s: %s%s", command,
			 strchr(command, '/') ? strerror(why) : "command not found",
			 strpbrk(command, " |;&<>") ? "; to run a shell command line, use sh -c"
						    : "");
		return PM_CHILD_NOT_FOUND;
	}
	pm_error("%s: %s", command, strerror(why));
	return PM_CHILD_NOT_EXECUTABLE;
}

int pm_child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void pm_child_follow(const struct pm_child *c)
{
	if (!state.interrupted || !WIFSIGNALED(c->status) || WTERMSIG(c->status) != SIGINT)
		return;
	signal(SIGINT, SIG_DFL);
	raise(SIGINT);
}
