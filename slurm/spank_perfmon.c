/*
 * SPANK plugin: the option --perfmon of srun, sbatch and salloc (perfmon-slurm(7)).
 *
 * Lives in slurmstepd and in the task before its exec. The plugin itself does no more than it must:
 * as in TaskProlog and TaskEpilog, perfmon does the work in a process of its own, and only complete
 * output is taken over. Every function of SPANK returns success whatever happens.
 */
#include "config.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "common/descriptors.h"
#include "common/handed.h"
#include "common/safe/variables.h"

/* Slurm looks these up by name. */
SPANK_PLUGIN(perfmon, 1)
int slurm_spank_init(spank_t sp, int argc, char **argv);
int slurm_spank_task_init(spank_t sp, int argc, char **argv);
int slurm_spank_task_exit(spank_t sp, int argc, char **argv);

/* Longest wait for perfmon, which gives up by itself before. */
#define PATIENCE_MS 45000

/* Pauses between two checks whether perfmon has ended: they double, from the first to the last. */
#define FIRST_PAUSE_NS 50000L
#define LAST_PAUSE_NS  10000000L

/* Id of the step that is the batch script, from slurm.h, which spank.h does not include in every
 * release. */
#ifndef SLURM_BATCH_SCRIPT
#define SLURM_BATCH_SCRIPT 0xfffffffbu
#endif

/* Room for what perfmon prints: a dozen variables. */
#define OUTPUT_MAX 65536

/* Set when Slurm loads the plugin, and by the option, once, before there are tasks. */
static struct {
	const char *perfmon; /* the program */
	bool always;         /* tasks are recorded without the option */
	bool asked;          /* the option was given, */
	char value[4096];    /* with this value, or "" */
} plugin = { .perfmon = PM_BINDIR "/perfmon" };

static int take_option(int val, const char *arg, int remote)
{
	(void)val;
	(void)remote;
	plugin.asked = true;
	plugin.value[0] = '\0';
	/* Slurm passes an option without a value to the steps of a batch job as this text. A value
	 * that does not fit is dropped as a whole, rather than count half of its events. */
	if (arg && strcmp(arg, "(null)") != 0 && strlen(arg) < sizeof plugin.value)
		strcpy(plugin.value, arg);
	return ESPANK_SUCCESS;
}

static struct spank_option option = {
	.name = (char *)"perfmon",
	.arginfo = (char *)"off|EVENTS",
	.usage = (char *)"record tasks with perfmon and count these events in them; off: do not "
			 "record",
	.has_arg = 2,
	.val = 0,
	.cb = take_option,
};

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "perfmon=", 8) == 0)
			plugin.perfmon = strdup(argv[i] + 8);
		else if (strcmp(argv[i], "always") == 0)
			plugin.always = true;
		else
			slurm_info("spank_perfmon: unknown argument %s in plugstack.conf", argv[i]);
	}
	if (!plugin.perfmon)
		plugin.perfmon = PM_BINDIR "/perfmon";
	spank_option_register(sp, &option);
	return ESPANK_SUCCESS;
}

/*
 * sbatch --export=NONE or NIL removes the variable by which a batch script gets the option, but
 * passes on the variable's copy for the steps.
 */
static void take_from_batch(spank_t sp)
{
	static const char copy[] = "SLURM_SPANK__SLURM_SPANK_OPTION_perfmon_perfmon";
	char value[sizeof plugin.value];
	uint32_t step;

	if (!plugin.asked && spank_get_item(sp, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
	    step == SLURM_BATCH_SCRIPT &&
	    spank_getenv(sp, copy, value, sizeof value) == ESPANK_SUCCESS)
		take_option(0, value, 1);
}

static bool is_off(void)
{
	return plugin.asked && strcmp(plugin.value, "off") == 0;
}

static bool is_wanted(void)
{
	return !is_off() && (plugin.asked || plugin.always);
}

/* How to run perfmon: its argument, environment and user. */
struct helper {
	const char *argument; /* perfmon's argument between -q and --slurm */
	char **envp;
	bool become; /* become the user, as we are root */
	uid_t uid;
	gid_t gid;
	gid_t *group;
	int groups;
};

/* The child: never returns. */
static void become_perfmon(const struct helper *h, int out)
{
	char *argv[] = { (char *)"perfmon", (char *)"-q", (char *)h->argument, (char *)"--slurm",
			 NULL };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
		_exit(127);
	pm_descriptors_close(3);
	if (h->become && (setgroups((size_t)h->groups, h->group) < 0 || setgid(h->gid) < 0 ||
			  setuid(h->uid) < 0))
		_exit(127);
	execve(plugin.perfmon, argv, h->envp);
	_exit(127);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Read until the other end is closed. Returns the length, or -1: too much or too late. */
static ssize_t read_all(int fd, long until, char *text, size_t size)
{
	size_t n = 0;

	while (n < size) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		long left = until - now_ms();
		ssize_t got;

		if (left <= 0)
			return -1;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		got = read(fd, text + n, size - n);
		if (got == 0)
			return (ssize_t)n;
		if (got > 0)
			n += (size_t)got;
	}
	return -1;
}

/* Wait for the child, and kill it when its time is over: it may close its output and stay. Most
 * children end with their output: the first checks follow each other closely. Returns whether the
 * child succeeded. */
static bool has_succeeded(pid_t pid, long until)
{
	struct timespec pause = { .tv_nsec = FIRST_PAUSE_NS };
	int status, options = WNOHANG;
	pid_t got;

	while ((got = waitpid(pid, &status, options)) == 0) {
		if (now_ms() < until) {
			nanosleep(&pause, NULL);
			if (pause.tv_nsec < LAST_PAUSE_NS)
				pause.tv_nsec *= 2;
		} else {
			kill(pid, SIGKILL);
			options = 0;
		}
	}
	return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Run perfmon and take its output. Returns the length, or -1 if perfmon failed. */
static ssize_t run_perfmon(const struct helper *h, char *text, size_t size)
{
	long until = now_ms() + PATIENCE_MS;
	int pair[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become_perfmon(h, pair[1]);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	n = read_all(pair[0], until, text, size);
	close(pair[0]);
	if (n < 0)
		kill(pid, SIGKILL);
	return has_succeeded(pid, until) ? n : -1;
}

/* Tell TaskProlog, which runs after us, that this task is recorded: by a value that no other task
 * has, since a step inside inherits the variable. */
static void mark_task(spank_t sp)
{
	static const char *const part[] = { "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID" };
	char mark[96] = "", value[24];

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		size_t n = strlen(mark);

		if (spank_getenv(sp, part[i], value, sizeof value) != ESPANK_SUCCESS)
			return;
		snprintf(mark + n, sizeof mark - n, "%s%s", n ? "." : "", value);
	}
	spank_setenv(sp, pm_handed_name[PM_HANDED_task], mark, 1);
}

/* Take over lines `export NAME=value`. */
static void take_exports(spank_t sp, char *text)
{
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *value = strchr(line, '=');

		if (strncmp(line, "export ", 7) != 0 || !value)
			continue;
		*value++ = '\0';
		spank_setenv(sp, line + 7, value, 1);
	}
}

/* Remove the preload that a step inherits from a recorded batch script. */
static void drop_preload(spank_t sp)
{
	static const char name[] = "/libperfmon.so";
	char list[4096], kept[4096] = "", *rest;

	if (spank_getenv(sp, PM_VARIABLE_PRELOAD, list, sizeof list) != ESPANK_SUCCESS)
		return;
	for (char *one = strtok_r(list, ": ", &rest); one; one = strtok_r(NULL, ": ", &rest)) {
		size_t n = strlen(one), have = strlen(kept);

		if (n >= sizeof name - 1 && strcmp(one + n - (sizeof name - 1), name) == 0)
			continue;
		snprintf(kept + have, sizeof kept - have, "%s%s", have ? ":" : "", one);
	}
	if (kept[0])
		spank_setenv(sp, PM_VARIABLE_PRELOAD, kept, 1);
	else
		spank_unsetenv(sp, PM_VARIABLE_PRELOAD);
}

/* Runs as the user, in the process that becomes the task. */
int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	struct helper h = { .argument = "source" };
	char *text, pid[32];
	ssize_t n;

	(void)argc;
	(void)argv;
	take_from_batch(sp);
	if (is_off()) {
		/* TaskProlog reads it as well. */
		spank_setenv(sp, pm_handed_name[PM_HANDED_recording], "off", 1);
		drop_preload(sp);
		return ESPANK_SUCCESS;
	}
	if (!is_wanted())
		return ESPANK_SUCCESS;
	if (plugin.value[0])
		spank_setenv(sp, pm_handed_name[PM_HANDED_options], plugin.value, 1);
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	spank_setenv(sp, "SLURM_TASK_PID", pid, 1);
	text = malloc(OUTPUT_MAX + 1);
	if (text && spank_get_item(sp, S_JOB_ENV, &h.envp) == ESPANK_SUCCESS) {
		n = run_perfmon(&h, text, OUTPUT_MAX);
		if (n > 0 && text[n - 1] == '\n') {
			text[n] = '\0';
			take_exports(sp, text);
			mark_task(sp);
		}
	}
	free(text);
	return ESPANK_SUCCESS;
}

/* Whether a variable makes libraries load or run the code that it names. */
static bool is_code(const char *variable)
{
	static const char *const start[] = {
		"LD_",     "GCONV_PATH=", "GLIBC_TUNABLES=",   "LOCPATH=",
		"MALLOC_", "OPENSSL_",    PM_VARIABLE_ASAN "="
	};

	for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
		if (strncmp(variable, start[i], strlen(start[i])) == 0)
			return true;
	return false;
}

/* The job's environment without variables that would run the user's code beside us, outside of the
 * step's container and beyond the end of the job. To be freed; NULL without memory. */
static char **harmless_environment(char **from)
{
	size_t n = 0, kept = 0;
	char **to;

	while (from && from[n])
		n++;
	to = calloc(n + 1, sizeof *to);
	for (size_t i = 0; to && i < n; i++)
		if (!is_code(from[i]))
			to[kept++] = from[i];
	return to;
}

/* Runs as root, in slurmstepd. */
int slurm_spank_task_exit(spank_t sp, int argc, char **argv)
{
	struct helper h = { .argument = "stop", .become = geteuid() == 0 };
	char output[256], **env;

	(void)argc;
	(void)argv;
	take_from_batch(sp);
	if (is_wanted() && spank_get_item(sp, S_JOB_ENV, &env) == ESPANK_SUCCESS &&
	    spank_get_item(sp, S_JOB_UID, &h.uid) == ESPANK_SUCCESS &&
	    spank_get_item(sp, S_JOB_GID, &h.gid) == ESPANK_SUCCESS &&
	    spank_get_item(sp, S_JOB_SUPPLEMENTARY_GIDS, &h.group, &h.groups) == ESPANK_SUCCESS &&
	    (h.envp = harmless_environment(env)) != NULL)
		run_perfmon(&h, output, sizeof output);
	free(h.envp);
	return ESPANK_SUCCESS;
}
