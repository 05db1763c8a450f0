/* The service that follows the batch jobs of a node. */
#include "config.h"

#include "wrapper/job/service.h"

#include "common/grow.h"
#include "common/job/jobgroup.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/samplerjob.h"
#include "wrapper/sched/jobcgroups.h"
#include "wrapper/sched/sched.h"
#include "wrapper/sched/sched_marks.h"

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

/* Longest time between two scans for groups, ms, and shortest time before the sampler of a job is
 * started again, µs. */
#define LOOK_MS  10000
#define PAUSE_US 10000000

/* The first processes of a job are root's, as part of the batch system: how often, ms, and how
 * long, µs, a job without other processes is scanned again. */
#define AGAIN_MS 500
#define ROOTS_US 10000000

/* A batch system makes several directories at once: how long we wait for the others, µs. */
#define SETTLE_US 100000

/* How long samplers may take to end, in steps of 10 ms. */
#define END_STEPS 500

/* Most bytes that are read of a process's environment (proc_pid_environ(5)). */
#define ENVIRONMENT_MAX ((size_t)1 << 20)

struct job {
	char id[128];
	pid_t sampler;    /* 0: none */
	int64_t ended_us; /* when the sampler ended */
	int64_t seen_us;  /* when the job's group was seen first */
	bool there;       /* the last scan found the group */
};

struct service {
	struct job node; /* its sampler, if there is one */
	const struct pm_cli *cli;
	int (*sample)(const struct pm_cli *, struct pm_err *);
	struct pm_jobcgroups groups;
	struct job *job;
	size_t count, capacity;
};

/* --- in the sampler's process ----------------------------------------------------------------- */

/* Read a file of a process up to ENVIRONMENT_MAX bytes. Returns a text for the caller to free, or
 * NULL; *n gets its length. */
static char *read_process_file(const struct pm_jobgroup_process *p, const char *name, size_t *n)
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

/* Whether a process is still in the job's group, which it may have left since it was listed. */
static bool is_in_group(const struct pm_jobgroup_process *p, const char *named)
{
	size_t n;
	char *text = read_process_file(p, "cgroup", &n);
	bool is = false;

	for (char *line = text; line && *line && !is;) {
		size_t length = strcspn(line, "\n");
		const char *path = memchr(line, '/', length);

		is = path && pm_jobgroup_find(path, (size_t)(line + length - path), named);
		line += length + (line[length] == '\n');
	}
	free(text);
	return is;
}

/*
 * Copy the batch systems' variables, and no others, from a process's environment into ours. A user
 * can set them to anything, so keep them only if they name the job of the process's control group.
 */
static void adopt_variables(const struct pm_jobgroup *group,
			    const struct pm_jobgroup_process *process)
{
	struct pm_job_marks marks;
	struct pm_err e;
	size_t n;
	char *text = read_process_file(process, "environ", &n);

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
	if (!pm_jobgroup_find(group->path, strlen(group->path), marks.cgroup) &&
	    strcmp(marks.cgroup, group->id) != 0)
		pm_sched_forget();
	pm_sched_marks_free(&marks);
}

/* Keep the capabilities that sources need, and drop all others. Returns 0 or -1 with e filled. */
static int drop_capabilities(struct pm_err *e)
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
static int become_user(uid_t uid, struct pm_err *e)
{
	struct passwd *pw;

	if (geteuid() != 0 || uid == 0)
		return 0;
	pw = getpwuid(uid);
	if (!pw)
		return pm_err(e, "uid %ld of the job's user is unknown on this host", (long)uid);
	if (prctl(PR_SET_KEEPCAPS, 1) < 0 || initgroups(pw->pw_name, pw->pw_gid) < 0 ||
	    setgid(pw->pw_gid) < 0 || setuid(uid) < 0)
		return pm_err(e, "become user %s: %m", pw->pw_name);
	setenv("HOME", pw->pw_dir, 1);
	return drop_capabilities(e);
}

/* Sample one job, in the child process. Does not return. */
_Noreturn static void sample_job(const struct service *s, const struct pm_jobgroup *group,
				 const struct pm_jobgroup_process *process, pid_t service)
{
	/* A plain user's service may search any folder for groups: it has no more rights than its
	 * jobs. */
	const bool root = geteuid() == 0;
	const struct pm_samplerjob_group sampled = { group->path, process->uid };
	struct pm_cli cli = *s->cli;
	struct pm_ident id;
	struct pm_err e = { "" };
	int status = PM_EXIT_FAILED;

	if (root && !is_in_group(process, group->named))
		_exit(PM_EXIT_OK);
	/* A job goes on without what cannot be shown of it. */
	if (pm_verb_sample_publish(&cli, group->id, &e) < 0) {
		pm_warn("job %s: %s", group->id, e.text);
		cli.value[PM_OPT_openmetrics] = NULL;
		e.text[0] = '\0';
	}
	if (become_user(process->uid, &e) == 0 && chdir("/") == 0) {
		/* Read environ as the job's user: root with few capabilities may not open other
		 * users' files. */
		adopt_variables(group, process);
		/* Set the death signal after the change of user, which resets it. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		pm_sched_identify(&id);
		if (getppid() != service)
			_exit(0);
		cli.given[PM_OPT_all_jobs] = 0;
		cli.value[PM_OPT_job] = id.jobid ? NULL : group->id;
		status = pm_samplerjob_run(&cli, s->sample, PM_SAMPLERJOB_WITH_JOBS,
					   root ? &sampled : NULL, &e);
	}
	if (e.text[0])
		pm_error("job %s: %s", group->id, e.text);
	exit(status);
}

/* Sample the node, in the child process: nothing but what --openmetrics shows. Does not return. */
_Noreturn static void sample_node(const struct service *s, pid_t service)
{
	/* What is said to the samplers of jobs, which run as the jobs' users. */
	static const enum pm_option of_jobs[] = { PM_OPT_on_exit, PM_OPT_until, PM_OPT_stream };
	struct pm_cli cli = *s->cli;
	struct pm_err e = { "" };
	int status;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != service)
		_exit(0);
	cli.given[PM_OPT_all_jobs] = 0;
	for (size_t i = 0; i < sizeof of_jobs / sizeof of_jobs[0]; i++) {
		cli.given[of_jobs[i]] = 0;
		cli.value[of_jobs[i]] = NULL;
	}
	status = s->sample(&cli, &e);
	if (e.text[0])
		pm_error("node: %s", e.text);
	exit(status);
}

/* --- the service ------------------------------------------------------------------------------ */

static struct job *find_job(struct service *s, const char *id)
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

/* Start the sampler of a job. Returns false if the caller has to try again soon. */
static bool start_sampler(struct service *s, struct job *j, const struct pm_jobgroup *group)
{
	struct pm_jobgroup_process process;
	pid_t child, self = getpid();

	/* The first processes of a job are the batch system's own; the user's come after them. */
	if (pm_jobcgroups_process(group, &process) < 0)
		return pm_now_monotonic_us() - j->seen_us >= ROOTS_US;
	child = fork();
	if (child == 0)
		sample_job(s, group, &process, self);
	close(process.fd);
	if (child < 0) {
		pm_warn("job %s: fork: %m", j->id);
		return true;
	}
	pm_info("job %s: sampled as user %ld by process %ld", j->id, (long)process.uid,
		(long)child);
	j->sampler = child;
	return true;
}

/* Start the sampler of the node if it is wanted and missing. */
static void tend_node(struct service *s)
{
	const pid_t self = getpid();

	if (!s->cli->value[PM_OPT_openmetrics] || s->node.sampler ||
	    pm_now_monotonic_us() - s->node.ended_us < PAUSE_US)
		return;
	s->node.sampler = fork();
	if (s->node.sampler == 0)
		sample_node(s, self);
	if (s->node.sampler < 0) {
		pm_warn("node: fork: %m");
		s->node.sampler = 0;
	}
}

/* Start missing samplers and drop jobs that are gone. Returns the longest time until the next scan,
 * ms. */
static int scan_jobs(struct service *s)
{
	size_t kept = 0;
	int again_ms = LOOK_MS;

	tend_node(s);
	pm_jobcgroups_scan(&s->groups);
	for (size_t i = 0; i < s->count; i++)
		s->job[i].there = false;
	for (size_t i = 0; i < s->groups.count; i++) {
		const struct pm_jobgroup *group = &s->groups.group[i];
		struct job *j = find_job(s, group->id);

		if (!j)
			continue;
		j->there = true;
		if (!j->sampler && pm_now_monotonic_us() - j->ended_us >= PAUSE_US &&
		    !start_sampler(s, j, group))
			again_ms = AGAIN_MS;
	}
	for (size_t i = 0; i < s->count; i++)
		if (s->job[i].there || s->job[i].sampler)
			s->job[kept++] = s->job[i];
	s->count = kept;
	return again_ms;
}

static size_t reap_samplers(struct service *s)
{
	size_t living = 0;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		if (s->node.sampler == pid) {
			s->node.sampler = 0;
			s->node.ended_us = pm_now_monotonic_us();
			pm_info("node: its sampler has ended");
		}
		for (size_t i = 0; i < s->count; i++)
			if (s->job[i].sampler == pid) {
				s->job[i].sampler = 0;
				s->job[i].ended_us = pm_now_monotonic_us();
				pm_info("job %s: its sampler has ended", s->job[i].id);
			}
	}
	living = s->node.sampler != 0;
	for (size_t i = 0; i < s->count; i++)
		living += s->job[i].sampler != 0;
	return living;
}

static void signal_samplers(const struct service *s, int signal)
{
	if (s->node.sampler)
		kill(s->node.sampler, signal);
	for (size_t i = 0; i < s->count; i++)
		if (s->job[i].sampler)
			kill(s->job[i].sampler, signal);
}

/* Handle the signals that have arrived. Returns whether the service has to end. */
static bool handle_signals(struct service *s, int fd)
{
	struct signalfd_siginfo info;
	bool over = false;

	while (read(fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			reap_samplers(s);
		else if (info.ssi_signo == SIGHUP)
			signal_samplers(s, SIGHUP);
		else
			over = true;
	}
	return over;
}

int pm_service_run(const struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		   struct pm_err *e)
{
	const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	struct service s = { .cli = cli, .sample = sample, .node.ended_us = -PAUSE_US };
	struct pollfd wait[2];
	sigset_t set;

	if (cli->value[PM_OPT_pid] || cli->value[PM_OPT_job] || cli->value[PM_OPT_cgroup] ||
	    cli->value[PM_OPT_directory] || cli->value[PM_OPT_prefix]) {
		pm_err(e, "--all-jobs cannot be combined with --pid, --job, --cgroup, --directory "
			  "or --prefix");
		return PM_EXIT_USAGE;
	}
	/* Variables of a job that we are in would seem to describe all jobs. */
	pm_sched_forget();
	pm_config_set(PM_SET_output, "", e);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	pm_jobcgroups_open(&s.groups, cli->value[PM_OPT_cgroups]);
	wait[0] = (struct pollfd){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
				   .events = POLLIN };
	wait[1] = (struct pollfd){ .fd = s.groups.fd, .events = POLLIN };
	if (wait[0].fd < 0) {
		pm_jobcgroups_close(&s.groups);
		pm_err(e, "signalfd: %m");
		return PM_EXIT_FAILED;
	}
	do {
		if (poll(wait, 2, scan_jobs(&s)) > 0 && wait[1].revents)
			usleep(SETTLE_US);
	} while (!handle_signals(&s, wait[0].fd));
	signal_samplers(&s, SIGTERM);
	for (int i = 0; i < END_STEPS && reap_samplers(&s); i++)
		usleep(10000);
	signal_samplers(&s, SIGKILL);
	close(wait[0].fd);
	pm_jobcgroups_close(&s.groups);
	free(s.job);
	return PM_EXIT_OK;
}
