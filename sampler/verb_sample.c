/* perfmon sample: the command line of the sampler. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/path.h"
#include "common/safe/tsv.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"
#include "sampler/cpuset.h"
#include "sampler/finishfile.h"
#include "sampler/job/jobfind.h"
#include "sampler/kernel/perf.h"
#include "sampler/loop.h"
#include "sampler/publish.h"
#include "sampler/source.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Interval without --interval and the setting sample. */
#define DEFAULT_INTERVAL_US 1000000

/* The same where it is called in the way of SKA's sampler. */
#define SKA_INTERVAL "30s"

/* Default time between checkpoints, without the option --checkpoint. */
#define DEFAULT_CHECKPOINT_US 60000000

/* Shorter intervals would keep the sampler busy all the time. */
#define MIN_INTERVAL_US 10000

static int parse_interval(const char *text, int64_t *us, struct pm_err *e)
{
	*us = pm_config_int(PM_SET_sample);
	if (text && pm_duration_parse(text, us, e) < 0)
		return pm_err_prefix(e, "--interval");
	if (!text && *us <= 0)
		*us = DEFAULT_INTERVAL_US;
	if (*us < MIN_INTERVAL_US)
		return pm_err(e, "--interval must be at least %d ms", MIN_INTERVAL_US / 1000);
	return 0;
}

/* Fill in the options that settings decide. Returns 0, or -1 with e filled and nothing changed. */
static int read_settings(struct pm_loop_options *options, struct pm_err *e)
{
	const char *sources = pm_config_get(PM_SET_sources);
	struct pm_loop_options new = *options;

	if (parse_interval(new.interval, &new.interval_us, e) < 0)
		return -1;
	if (pm_source_select(sources[0] ? sources : NULL, new.selected, e) < 0)
		return pm_err_prefix(e, "--sources");
	new.max_samples = (uint64_t)pm_config_int(PM_SET_max_samples);
	new.max_series = (uint64_t)pm_config_int(PM_SET_max_series);
	*options = new;
	return 0;
}

static int reload_settings(struct pm_loop_options *options, struct pm_err *e)
{
	pm_config_load();
	return read_settings(options, e);
}

static int parse_checkpoint(const char *text, int64_t *us, struct pm_err *e)
{
	*us = DEFAULT_CHECKPOINT_US;
	if (text && pm_duration_parse(text, us, e) < 0)
		return pm_err_prefix(e, "--checkpoint");
	if (*us && *us < MIN_INTERVAL_US)
		return pm_err(e, "--checkpoint must be at least %d ms, or 0",
			      MIN_INTERVAL_US / 1000);
	return 0;
}

static int parse_pid(const struct pm_cli *cli, pid_t *pid, struct pm_err *e)
{
	const char *text = cli->value[PM_OPT_pid];
	int64_t number;

	*pid = 0;
	if (!text)
		return 0;
	if (pm_tsv_number(text, strlen(text), &number) < 0 || number <= 0 || number > INT_MAX)
		return pm_err(e, "--pid: '%s' is not a process id", text);
	*pid = (pid_t)number;
	return 0;
}

/* Have sh run the command of --on-exit; its exit status is ignored. */
static void run_on_exit(const char *command, const char *directory)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	sigset_t none;
	pid_t child = fork();

	if (child == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGXFSZ, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		if (directory)
			setenv(pm_setting_info[PM_SET_output].env, directory, 1);
		execvp("sh", argv);
		_exit(127);
	}
	if (child < 0)
		pm_warn("--on-exit: fork: %m");
	else
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
}

static int check_perf(struct pm_err *e)
{
	struct pm_perf_list list;

	if (pm_perf_parse(&list, pm_config_get(PM_SET_perf), pm_perf_march(), e) < 0)
		return pm_err_prefix(e, "--perf");
	if (list.missing.n)
		pm_warn("--perf: the metric '%.*s' has no formula for this processor and is not "
			"counted",
			(int)list.missing.n, list.missing.p);
	return 0;
}

/* Check that the control group given on the command line, if any, exists. */
static int check_group(const struct pm_cli *cli, struct pm_err *e)
{
	if (!cli->value[PM_OPT_cgroup])
		return 0;
	if (pm_jobfind_group(pm_config_get(PM_SET_root), cli->value[PM_OPT_cgroup], e) < 0)
		return pm_err_prefix(e, "--cgroup");
	return 0;
}

void pm_verb_sample_hold(void)
{
	for (size_t i = 0; geteuid() == 0 && i < PM_SOURCES; i++)
		if (pm_source_table[i]->hold)
			pm_source_table[i]->hold(pm_config_get(PM_SET_root));
}

/* The interval that the command line says, NULL: it says nothing. */
static const char *choose_interval(const struct pm_cli *cli)
{
	if (cli->ska && !cli->value[PM_OPT_interval] && pm_config_int(PM_SET_sample) <= 0)
		return SKA_INTERVAL;
	return cli->value[PM_OPT_interval];
}

int pm_verb_sample(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_loop_options options = {
		.root = pm_config_get(PM_SET_root),
		.directory = cli->value[PM_OPT_directory],
		.marks = cli->marks,
		.until = cli->value[PM_OPT_until],
		.stream = cli->given[PM_OPT_stream] ||
			  (!cli->value[PM_OPT_directory] && !cli->value[PM_OPT_openmetrics]),
		.reload = reload_settings,
		.interval = choose_interval(cli),
		.no_cpu_series = pm_cpuset_exceeds(pm_config_get(PM_SET_root),
						   pm_config_int(PM_SET_cpu_series)),
	};
	const char *stream = cli->value[PM_OPT_stream];
	char *announced = NULL;
	int rc;

	if (cli->argc) {
		pm_err(e, "sample takes no operands: '%s'", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	if (read_settings(&options, e) < 0 ||
	    parse_checkpoint(cli->value[PM_OPT_checkpoint], &options.checkpoint_us, e) < 0 ||
	    parse_pid(cli, &options.pid, e) < 0 || check_perf(e) < 0 || check_group(cli, e) < 0)
		return PM_EXIT_USAGE;
	if (stream && strcmp(stream, "-") != 0) {
		pm_err(e, "--stream: '%s' is not supported; only - for standard output is", stream);
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_dry_run]) {
		pm_info("would sample every %lld us", (long long)options.interval_us);
		return PM_EXIT_OK;
	}
	if (options.directory && pm_path_make(options.directory, e) < 0)
		return PM_EXIT_FAILED;
	if (cli->marks && *cli->marks->job && !options.until) {
		options.until = announced = pm_finishfile_announce(cli->marks->job, e);
		if (!announced)
			return PM_EXIT_FAILED;
	}
	rc = pm_publish_open(&options.publish, cli, options.pid, e);
	if (rc == 0)
		rc = pm_loop_run(&options, e);
	pm_publish_close(options.publish);
	free(announced);
	if (cli->value[PM_OPT_on_exit])
		run_on_exit(cli->value[PM_OPT_on_exit], options.directory);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
