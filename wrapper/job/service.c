/* A service that follows the jobs of a node. */
#include "config.h"

#include "wrapper/alljobs.h"

#include "common/config.h"
#include "common/grow.h"
#include "common/jobgroup.h"
#include "common/log.h"
#include "common/now.h"
#include "wrapper/jobgroups.h"
#include "wrapper/sampled.h"
#include "wrapper/sched.h"
#include "wrapper/sched_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Groups are looked for at least that often, and a sampler that ended is started again no sooner,
 * ms. */
#define LOOK_MS  10000
#define PAUSE_US 10000000

/* A job's first processes are the batch system's, and root's: how often and how long others are
 * looked for. */
#define AGAIN_MS 500
#define ROOTS_US 10000000

/* Several directories are made at once: how long we wait for the rest. */
#define SETTLE_US 100000

/* How long samplers may take to end, in steps of 10 ms. */
#define END_STEPS 500

/* An environment beyond this is cut (proc_pid_environ(5) gives what the process has there). */
#define ENVIRONMENT_MAX ((size_t)1 << 20)

struct job {
	char id[128];
	pid_t sampler; /* 0: none */
	int64_t ended_us;
	int64_t seen_us; /* when its group was seen first */
	bool there;
};

struct service {
	const struct pm_cli *cli;
	int (*sample)(const struct pm_cli *, struct pm_err *);
	struct pm_jobgroups groups;
	struct job *job;
	size_t count, capacity;
};

/* --- in the sampler's process -------------------------------------------------------------------
 */

/* Read a file of a process that is held, whole or up to a limit. Returns it, to be freed, or NULL; *n its
 * length. */
static char *read_of(const struct pm_jobgroup_process *p, const char *name, size_t *n)
{
	char *text = malloc(ENVIRONMENT_MAX + 1);
	ssize_t got = 0;
	int fd = openat(p->fd, name, O_RDONLY | O_CLOEXEC);

	*n = 0;
	while (fd >= 0 && text && *n < ENVIRONMENT_MAX &&
	       (got = read(fd, text + *n, ENVIRONMENT_MAX - *n)) > 0)
		*n += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (text)
		text[*n] = '\0';
	return text;
}

/* Whether the kernel says that a process is in the group: it may have left since it was listed. */
static bool is_in_group(const struct pm_jobgroup_process *p, const char *id)
{
	size_t n;
	char *text = read_of(p, "cgroup", &n);
	bool is = false;

	for (char *line = text; line && *line && !is;) {
		size_t length = strcspn(line, "\n");
		const char *path = memchr(line, '/', length);

		is = path && pm_jobgroup_find(path, (size_t)(line + length - path), id);
		line += length + (line[length] == '\n');
	}
	free(text);
	return is;
}

/*
 * Take the batch systems' variables, and no others, from a process's environment. Anyone can set
 * them to anything: they count only if they name the job whose control group the process is in.
 */
static void take_job(const struct pm_jobgroup *group, const struct pm_jobgroup_process *process)
{
	struct pm_job_marks marks;
	struct pm_err e;
	size_t n;
	char *text = read_of(process, "environ", &n);

	for (char *p = text; text && p < text + n; p += strlen(p) + 1) {
		char *equals = strchr(p, '=');

		if (!equals)
			continue;
		*equals = '\0';
		if (pm_sched_knows(p))
			setenv(p, equals + 1, 1);
		p = equals + 1;
	}
	free(text);
	if (pm_sched_marks(NULL, &marks, &e) != 0)
		return;
	if (!pm_jobgroup_find(group->path, strlen(group->path), marks.cgroup))
		pm_sched_forget();
	pm_sched_marks_free(&marks);
}

/* Of root's powers those that sources need. */
static int keep_powers(struct pm_err *e)
{
	const unsigned keep[] = { CAP_NET_ADMIN, CAP_SYS_PTRACE,
#ifdef CAP_PERFMON
				  CAP_PERFMON,
#endif
#ifdef CAP_BPF
				  CAP_BPF
#endif
	};
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct have[2], data[2] = { 0 };

	if (syscall(SYS_capget, &head, have) < 0)
		return pm_err(e, "read capabilities: %m");
	for (size_t i = 0; i < sizeof keep / sizeof keep[0]; i++) {
		unsigned bit = 1u << (keep[i] % 32);

		data[keep[i] / 32].permitted |= have[keep[i] / 32].permitted & bit;
		data[keep[i] / 32].effective |= have[keep[i] / 32].permitted & bit;
	}
	return syscall(SYS_capset, &head, data) < 0 ? pm_err(e, "drop capabilities: %m") : 0;
}

/* Become the job's user. Returns 0 or -1 with e filled. */
static int become(uid_t uid, struct pm_err *e)
{
	struct passwd *pw;

	if (geteuid() != 0 || uid == 0)
		return 0;
	pw = getpwuid(uid);
	if (!pw)
		return pm_err(e, "the job's user %ld is not known here", (long)uid);
	if (prctl(PR_SET_KEEPCAPS, 1) < 0 || initgroups(pw->pw_name, pw->pw_gid) < 0 ||
	    setgid(pw->pw_gid) < 0 || setuid(uid) < 0)
		return pm_err(e, "become user %s: %m", pw->pw_name);
	setenv("HOME", pw->pw_dir, 1);
	return keep_powers(e);
}

/* Sample one job; does not return. */
_Noreturn static void sample_job(const struct service *s, const struct pm_jobgroup *group,
				 const struct pm_jobgroup_process *process, pid_t service)
{
	/* A plain user may look for its jobs in any folder, and has no more rights than they. */
	const bool root = geteuid() == 0;
	const struct pm_sampled_group sampled = { group->path, process->uid };
	struct pm_cli cli = *s->cli;
	struct pm_ident id;
	struct pm_err e = { "" };
	int status = PM_EXIT_FAILED;

	if (root && !is_in_group(process, group->id))
		_exit(PM_EXIT_OK);
	if (become(process->uid, &e) == 0 && chdir("/") == 0) {
		/* As its user: root without power over files may not open what is another's. */
		take_job(group, process);
		/* Behind the change of user, which takes it back. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		pm_sched_identify(&id);
		if (getppid() != service)
			_exit(0);
		cli.given[PM_OPT_all_jobs] = 0;
		cli.value[PM_OPT_job] = id.jobid ? NULL : group->id;
		status = pm_sampled_run(&cli, s->sample, PM_SAMPLED_WITH_JOBS,
					root ? &sampled : NULL, &e);
	}
	if (e.text[0])
		pm_error("job %s: %s", group->id, e.text);
	exit(status);
}

/* --- the service --------------------------------------------------------------------------------
 */

static struct job *find(struct service *s, const char *id)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->job[i].id, id) == 0)
			return &s->job[i];
	if (!PM_GROW(s->job, s->count, s->capacity, 16))
		return NULL;
	s->job[s->count] = (struct job){ .ended_us = -PAUSE_US, .seen_us = pm_now_monotonic_us() };
	snprintf(s->job[s->count].id, sizeof s->job->id, "%s", id);
	return &s->job[s->count++];
}

/* Start the sampler of a job that has none. Returns false where it has to be tried again soon. */
static bool start(struct service *s, struct job *j, const struct pm_jobgroup *group)
{
	struct pm_jobgroup_process process;
	pid_t child, self = getpid();

	/* The first processes of a job are the batch system's own; the user's come after them. */
	if (pm_jobgroups_process(group, &process) < 0)
		return pm_now_monotonic_us() - j->seen_us >= ROOTS_US;
	child = fork();
	if (child == 0)
		sample_job(s, group, &process, self);
	close(process.fd);
	if (child < 0) {
		pm_warn("job %s: fork: %m", j->id);
		return true;
	}
	pm_info("job %s: sampled as user %ld by process %ld", j->id, (long)process.uid, (long)child);
	j->sampler = child;
	return true;
}

/* Start what is missing; forget jobs that are gone. Returns when to look again at the latest, ms.
 */
static int look(struct service *s)
{
	size_t kept = 0;
	int again_ms = LOOK_MS;

	pm_jobgroups_scan(&s->groups);
	for (size_t i = 0; i < s->count; i++)
		s->job[i].there = false;
	for (size_t i = 0; i < s->groups.count; i++) {
		const struct pm_jobgroup *group = &s->groups.group[i];
		struct job *j = find(s, group->id);

		if (!j)
			continue;
		j->there = true;
		if (!j->sampler && pm_now_monotonic_us() - j->ended_us >= PAUSE_US &&
		    !start(s, j, group))
			again_ms = AGAIN_MS;
	}
	for (size_t i = 0; i < s->count; i++)
		if (s->job[i].there || s->job[i].sampler)
			s->job[kept++] = s->job[i];
	s->count = kept;
	return again_ms;
}

static size_t reap(struct service *s)
{
	size_t living = 0;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (size_t i = 0; i < s->count; i++)
			if (s->job[i].sampler == pid) {
				s->job[i].sampler = 0;
				s->job[i].ended_us = pm_now_monotonic_us();
				pm_info("job %s: its sampler ended", s->job[i].id);
			}
	for (size_t i = 0; i < s->count; i++)
		living += s->job[i].sampler != 0;
	return living;
}

static void tell(const struct service *s, int signal)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->job[i].sampler)
			kill(s->job[i].sampler, signal);
}

/* Take the signals that have come. Returns whether to end. */
static bool on_signals(struct service *s, int fd)
{
	struct signalfd_siginfo info;
	bool over = false;

	while (read(fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			reap(s);
		else if (info.ssi_signo == SIGHUP)
			tell(s, SIGHUP);
		else
			over = true;
	}
	return over;
}

int pm_alljobs_run(const struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		   struct pm_err *e)
{
	const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	struct service s = { .cli = cli, .sample = sample };
	struct pollfd wait[2];
	sigset_t set;

	if (cli->value[PM_OPT_pid] || cli->value[PM_OPT_job] || cli->value[PM_OPT_cgroup] ||
	    cli->value[PM_OPT_directory] || cli->value[PM_OPT_prefix]) {
		pm_err(e,
		       "--all-jobs goes without --pid, --job, --cgroup, --directory and --prefix");
		return PM_EXIT_USAGE;
	}
	/* What says which job we are in would say it of all. */
	pm_sched_forget();
	pm_config_set(PM_SET_output, "", e);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	pm_jobgroups_open(&s.groups, cli->value[PM_OPT_cgroups]);
	wait[0] = (struct pollfd){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
				   .events = POLLIN };
	wait[1] = (struct pollfd){ .fd = s.groups.fd, .events = POLLIN };
	if (wait[0].fd < 0) {
		pm_jobgroups_close(&s.groups);
		pm_err(e, "signalfd: %m");
		return PM_EXIT_FAILED;
	}
	do {
		if (poll(wait, 2, look(&s)) > 0 && wait[1].revents)
			usleep(SETTLE_US);
	} while (!on_signals(&s, wait[0].fd));
	tell(&s, SIGTERM);
	for (int i = 0; i < END_STEPS && reap(&s); i++)
		usleep(10000);
	tell(&s, SIGKILL);
	close(wait[0].fd);
	pm_jobgroups_close(&s.groups);
	free(s.job);
	return PM_EXIT_OK;
}
