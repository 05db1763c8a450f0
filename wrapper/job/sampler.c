/* Start and stop samplers without touching the processes that they sample. */
#include "config.h"

#include "wrapper/job/sampler.h"

#include "common/descriptors.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/trusted.h"
#include "wrapper/job/launch.h"
#include "wrapper/node/host.h"
#include "wrapper/sched/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long the sampler may take to write its last sample: steps, and ms of a step. */
#define STOP_STEP_MS 10
#define STOP_STEPS   500

/* Room for the sampler's own arguments. */
#define ARGUMENTS_MAX 16

/* Name the file in the job directory that identifies the sampler on this host, which keeps the file
 * locked. */
static void file_name(char name[NAME_MAX + 1])
{
	char host[256];

	pm_jobdir_host(host, sizeof host);
	snprintf(name, NAME_MAX + 1, ".sampler-%.*s", NAME_MAX - 16, host);
}

/* Append the settings of our command line that `sample` uses. */
static void hand_on_settings(char **argv)
{
	while (*argv)
		argv++;
	for (int s = 0; s < PM_SETTINGS; s++) {
		char *text;

		/* The sampler has options of its own for directory, job and interval. */
		if (s == PM_SET_output || s == PM_SET_output_prefix || s == PM_SET_sample ||
		    !pm_config_is_given((enum pm_setting)s) ||
		    !pm_verb_uses(PM_VERB_sample, (enum pm_setting)s) ||
		    asprintf(&text, "--%s=%s", pm_setting_info[s].option,
			     pm_config_get((enum pm_setting)s)) < 0)
			continue;
		*argv++ = text;
	}
	*argv = NULL;
}

/* Become `perfmon sample` with these arguments and the sampling settings of our command line. Of
 * our descriptors only `keep` stays open, none if -1. */
static void become_sampler(const char *self, char *const *arguments, char **envp, int keep)
{
	char *argv[ARGUMENTS_MAX + PM_SETTINGS + 1];
	int null = open("/dev/null", O_RDWR);
	size_t n = 0;

	for (; arguments[n] && n < ARGUMENTS_MAX; n++)
		argv[n] = arguments[n];
	argv[n] = NULL;
	hand_on_settings(argv);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (keep > 3 && dup2(keep, 3) < 0)
		_exit(127);
	if (keep == 3)
		fcntl(3, F_SETFD, 0);
	pm_descriptors_close(keep < 0 ? 3 : 4);
	execve(self, argv, envp);
	_exit(127);
}

/*
 * Fork with SIGTERM blocked in the child. The sampler unblocks SIGTERM when it is ready, so that
 * even the shortest job on the busiest host gets a sample. Returns the same as fork(2).
 */
static pid_t fork_held(void)
{
	sigset_t term, before;
	pid_t child;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	child = fork();
	sigprocmask(SIG_SETMASK, child == 0 ? &term : &before, NULL);
	return child;
}

pid_t pm_sampler_start(const struct pm_cli *cli, const struct pm_jobdir *d, pid_t root,
		       struct pm_err *e)
{
	int64_t period_us = pm_config_int(PM_SET_sample);
	char pid[32], interval[40];
	char *argv[] = {
		(char *)"perfmon",     (char *)"-q",    (char *)"sample",     (char *)"--pid", pid,
		(char *)"--directory", (char *)d->path, (char *)"--interval", interval,        NULL
	};
	pid_t child, self = getpid();
	char **envp;

	if (period_us <= 0)
		return 0;
	envp = pm_launch_helper_environ();
	if (!envp)
		return pm_err(e, "sampler: out of memory");
	snprintf(pid, sizeof pid, "%ld", (long)root);
	snprintf(interval, sizeof interval, "%lldus", (long long)period_us);
	child = fork_held();
	if (child == 0) {
		setpgid(0, 0);
		/* Without the perfmon that waits for it the sampler has nothing to do. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* The parent may have ended before we asked for its death signal. */
		if (getppid() != self)
			_exit(0);
		become_sampler(cli->self, argv, envp, -1);
	}
	free(envp);
	if (child < 0)
		return pm_err(e, "sampler: fork: %m");
	return child;
}

/* Open and lock the sampler's file. Returns a descriptor, or -1 with e filled and errno EWOULDBLOCK
 * if a sampler runs. */
static int lock_file(const struct pm_jobdir *d, int flags, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	int fd, saved;

	file_name(name);
	fd = pm_trusted_open(d->fd, name, O_RDWR | flags, 0600, e);
	if (fd < 0)
		return pm_err_prefix(e, "sampler: %s", d->path);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return pm_err(e, "sampler: lock %s/%s: %m", d->path, name);
}

int pm_sampler_detach(const struct pm_cli *cli, const struct pm_jobdir *d, struct pm_err *e)
{
	int64_t period_us = pm_config_int(PM_SET_sample);
	char pid[32], interval[40];
	/* In a batch job the sampler finds the processes itself. */
	char *argv[] = { (char *)"perfmon",
			 (char *)"-q",
			 (char *)"sample",
			 (char *)"--directory",
			 (char *)d->path,
			 (char *)"--interval",
			 interval,
			 (char *)"--pid",
			 pid,
			 NULL };
	struct pm_ident id;
	char **envp;
	pid_t child;
	int fd;

	if (period_us <= 0)
		return 0;
	fd = lock_file(d, O_CREAT, e);
	if (fd < 0) {
		if (errno != EWOULDBLOCK)
			return -1;
		e->text[0] = '\0';
		return 0;
	}
	envp = pm_launch_helper_environ();
	if (!envp) {
		close(fd);
		return pm_err(e, "sampler: out of memory");
	}
	pm_sched_identify(&id);
	snprintf(interval, sizeof interval, "%lldus", (long long)period_us);
	snprintf(pid, sizeof pid, "%ld", (long)getsid(0));
	if (id.jobid)
		argv[7] = NULL;
	child = fork_held();
	if (child == 0) {
		/* A new session: signals for our terminal and for this shell's jobs do not reach
		 * the sampler. */
		setsid();
		become_sampler(cli->self, argv, envp, fd);
	}
	free(envp);
	if (child > 0 && (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld %lld\n", (long)child,
							  (long long)pm_host_starttime(child)) < 0))
		pm_err(e, "sampler: write its pid in %s: %m", d->path);
	close(fd);
	if (child < 0)
		return pm_err(e, "sampler: fork: %m");
	return e->text[0] ? -1 : 0;
}

int64_t pm_sampler_end(const struct pm_jobdir *d)
{
	const struct timespec step = { 0, STOP_STEP_MS * 1000000L };
	long long pid = 0, starttime = -1;
	char name[NAME_MAX + 1], text[64];
	struct pm_err why;
	int64_t used_us = 0;
	ssize_t n = -1;
	int fd;

	file_name(name);
	fd = pm_trusted_open(d->fd, name, O_RDONLY, 0, NULL);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%lld %lld", &pid, &starttime) != 2 || pid <= 1 || starttime < 0)
		pid = 0;
	for (int i = 0; i <= STOP_STEPS; i++) {
		/* The lock holder is the process noted in the file. The start time tells whether
		 * the pid is of this host and not reused. */
		fd = lock_file(d, 0, &why);
		if (fd >= 0 || errno != EWOULDBLOCK || !pid || pm_host_starttime(pid) != starttime)
			break;
		if (i == 0)
			used_us = pm_host_cpu_us(pid);
		if (i == 0 || i == STOP_STEPS)
			kill((pid_t)pid, i == 0 ? SIGTERM : SIGKILL);
		nanosleep(&step, NULL);
	}
	if (fd >= 0)
		close(fd);
	unlinkat(d->fd, name, 0);
	return used_us > 0 ? used_us : 0;
}

/* Tell of a sampler that did not end well: its own messages go to /dev/null. */
static void tell_end(int status)
{
	if (WIFSIGNALED(status))
		pm_warn("the sampler was killed by signal %d: samples are missing; try perfmon "
			"sample",
			WTERMSIG(status));
	else if (WEXITSTATUS(status))
		pm_warn("the sampler failed with exit status %d: samples are missing; try perfmon "
			"sample",
			WEXITSTATUS(status));
}

void pm_sampler_stop(pid_t pid)
{
	const struct timespec step = { 0, STOP_STEP_MS * 1000000L };
	int status;

	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	for (int i = 0; i < STOP_STEPS; i++) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended > 0)
			tell_end(status);
		if (ended != 0)
			return;
		nanosleep(&step, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	pm_warn("the sampler did not end within %d s and was killed: its last samples may be "
		"missing",
		STOP_STEP_MS * STOP_STEPS / 1000);
}
