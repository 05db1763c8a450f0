/* The sampler beside the command: started without touching it, gone when it is. */
#include "config.h"

#include "wrapper/beside.h"
#include "common/config.h"
#include "wrapper/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long the sampler may take to write its last sample. */
#define STOP_STEP_MS 10
#define STOP_STEPS   500

static void close_from(int first)
{
	struct rlimit limit;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	for (int fd = first; fd < (int)limit.rlim_cur; fd++)
		close(fd);
}

static void become_sampler(const char *self, const struct pm_jobdir *d, const char *pid,
			   const char *interval, char **envp)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	/* A sampler without the perfmon that waits for it has no job. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	close_from(3);
	execle(self, "perfmon", "-q", "sample", "--pid", pid, "--directory", d->path, "--interval",
	       interval, (char *)NULL, envp);
	_exit(127);
}

pid_t pm_beside_start(const struct pm_cli *cli, const struct pm_jobdir *d, pid_t root,
		      struct pm_err *e)
{
	int64_t period_us = pm_config_int(PM_SET_sample);
	char pid[32], interval[40];
	sigset_t term, before;
	char **envp;
	pid_t child;

	if (period_us <= 0)
		return 0;
	envp = pm_launch_helper_environ();
	if (!envp)
		return pm_err(e, "sampler: out of memory");
	snprintf(pid, sizeof pid, "%ld", (long)root);
	snprintf(interval, sizeof interval, "%lldus", (long long)period_us);
	/* Held back from its first instruction on until the sampler is ready to take it: even the
	 * shortest job on the busiest host gets a sample. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &term, NULL);
		become_sampler(cli->self, d, pid, interval, envp);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(envp);
	if (child < 0)
		return pm_err(e, "sampler: fork: %m");
	return child;
}

void pm_beside_stop(pid_t pid)
{
	const struct timespec step = { 0, STOP_STEP_MS * 1000000L };

	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	for (int i = 0; i < STOP_STEPS; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		nanosleep(&step, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
