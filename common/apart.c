/* Processes of one's own that may hang. */
#include "config.h"

#include "common/apart.h"

#include "common/now.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* Pause between two looks at the process: short at first, since most end soon. */
#define PAUSE_MIN_US 1000
#define PAUSE_MAX_US 50000

/* How long a killed process may take to go. */
#define GONE_US 5000000

/* A process that was killed and is there all the same; 0: none. */
static pid_t stuck;

/* In a process of its own: whose death it does not outlive. */
static pid_t bound_to;

/* Look whether the process ended until a time. Returns 1 with its wait status, 0 if it is still
 * there, or -1 with errno. A signal ends the wait early. */
static int wait_until(pid_t pid, int64_t until_us, int *status)
{
	int64_t pause_us = PAUSE_MIN_US;
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 && pm_now_monotonic_us() < until_us) {
		const struct timespec pause = { .tv_nsec = pause_us * 1000 };

		if (nanosleep(&pause, NULL) < 0)
			break;
		pause_us = 2 * pause_us < PAUSE_MAX_US ? 2 * pause_us : PAUSE_MAX_US;
	}
	return got == pid ? 1 : got == 0 ? 0 : -1;
}

/* Kill the process with its group. Returns 0 with its wait status, or -1 if it stays. */
static int kill_group(pid_t pid, int *status)
{
	const int64_t until_us = pm_now_monotonic_us() + GONE_US;
	int rc;

	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while ((rc = wait_until(pid, until_us, status)) == 0)
		if (pm_now_monotonic_us() >= until_us) {
			stuck = pid;
			return -1;
		}
	return rc > 0 ? 0 : -1;
}

void pm_apart_rebind(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != bound_to)
		_exit(1);
}

/* Die with a process, which is the parent. */
static void bind_to(pid_t parent)
{
	bound_to = parent;
	pm_apart_rebind();
}

/* End as another process did. */
_Noreturn static void end_as(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t nothing;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	/* It has left its core already. */
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&nothing);
	sigprocmask(SIG_SETMASK, &nothing, NULL);
	raise(WTERMSIG(status));
	_exit(1);
}

/* Wait for a process, and kill the whole group, this process in it, once the parent has gone: a
 * process group does not die with a process of another one by itself. */
_Noreturn static void guard(pid_t pid, pid_t parent, const sigset_t *awaited)
{
	int status;

	/* SIGTERM comes when the parent dies, and from a parent that asks the group to end. One
	 * that is blocked waits, unless it is ignored. */
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	while (getppid() == parent) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			end_as(status);
		sigwaitinfo(awaited, NULL);
	}
	kill(0, SIGKILL);
	_exit(1);
}

/* Leave a process behind that guards the group; return in another one, as which it ends. */
static void begin_family(pid_t parent)
{
	const pid_t self = getpid();
	sigset_t awaited, all, before;
	pid_t pid;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGCHLD);
	/* The guard ends by its own ways alone. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (pid < 0)
		_exit(EX_OSERR);
	if (pid > 0)
		guard(pid, parent, &awaited);
	sigprocmask(SIG_SETMASK, &before, NULL);
	bind_to(self);
}

/* In the new process. */
_Noreturn static void begin(const struct pm_apart *a, pid_t parent)
{
	int status;

	setpgid(0, 0);
	bind_to(parent);
	if (a->family)
		begin_family(parent);
	status = a->run(a->ctx);
	fflush(NULL);
	_exit(status);
}

/* Wait for the end of the process, which is killed where it takes too long. Returns 0 with its wait
 * status, or -1 with e filled. */
static int supervise(const struct pm_apart *a, pid_t pid, int *status, struct pm_err *e)
{
	const int64_t began_us = pm_now_monotonic_us();
	int64_t stopped_us = 0;
	int rc;

	while ((rc = wait_until(pid, pm_now_monotonic_us() + PAUSE_MAX_US, status)) == 0) {
		const int64_t now_us = pm_now_monotonic_us();
		const int64_t since_us =
			a->progress_us && *a->progress_us > began_us ? *a->progress_us : began_us;

		if (a->stop && *a->stop && !stopped_us) {
			kill(-pid, SIGTERM);
			stopped_us = now_us;
		}
		if (stopped_us && now_us - stopped_us >= a->patience_us) {
			kill_group(pid, status);
			return pm_err(e, "killed, since it did not end when it was asked to");
		}
		if (!a->limit_us || now_us - since_us < a->limit_us)
			continue;
		if (kill_group(pid, status) < 0)
			return pm_err(e, "still there after %g s (setting %s) and SIGKILL",
				      (double)a->limit_us / 1e6, a->setting);
		return pm_err(e, "killed after %g s (setting %s)", (double)a->limit_us / 1e6,
			      a->setting);
	}
	return rc < 0 ? pm_err(e, "wait: %m") : 0;
}

int pm_apart_run(const struct pm_apart *a, int *status, struct pm_err *e)
{
	const pid_t self = getpid();
	pid_t pid;

	if (stuck && waitpid(stuck, status, WNOHANG) == 0)
		return pm_err(e, "process %ld of before does not end", (long)stuck);
	stuck = 0;
	/* What is in the buffers is written once. */
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		begin(a, self);
	if (pid < 0)
		return pm_err(e, "fork: %m");
	setpgid(pid, pid);
	if (supervise(a, pid, status, e) < 0)
		return -1;
	if (WIFSIGNALED(*status))
		return pm_err(e, "killed by signal %d", WTERMSIG(*status));
	*status = WEXITSTATUS(*status);
	return 0;
}
