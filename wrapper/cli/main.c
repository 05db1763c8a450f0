/* perfmon: parse the command line, call the verb, print its error and return its status. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/nomem.h"
#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "wrapper/cli/cli.h"
#include "wrapper/cli/epmt.h"
#include "wrapper/cli/version.h"
#include "wrapper/job/job.h"
#include "wrapper/job/run.h"
#include "wrapper/job/samplerjob.h"
#include "wrapper/job/service.h"
#include "wrapper/job/switchoff.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int verb_fn(const struct pm_cli *cli, struct pm_err *e);

static verb_fn *const verb_function[PM_VERBS] = {
#define PM_VERB(id, group, first, operands, help) [PM_VERB_##id] = pm_verb_##id,
#include "common/cli/verbs.def"
#undef PM_VERB
};

/* The absolute path of this program, which perfmon runs as a child and the collector does not
 * record. */
static const char *self_path(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

/* The name of the batch system's job for verbs whose folders cannot ask batch systems; NULL for
 * other verbs, or without a batch job. */
static const char *batch_job(enum pm_verb verb)
{
	static const bool asks[PM_VERBS] = {
		[PM_VERB_submit] = true, [PM_VERB_list] = true,   [PM_VERB_export] = true,
		[PM_VERB_show] = true,   [PM_VERB_report] = true, [PM_VERB_plot] = true,
	};
	static const struct pm_cli nothing_given;
	static char name[PM_JOB_NAME_MAX];
	const struct pm_sched *sched;
	struct pm_ident id;
	struct pm_err e;

	if (!asks[verb] || pm_job_identify(&nothing_given, &id, &sched, name, &e) < 0 || !*name)
		return NULL;
	return name;
}

/* Flush standard output. Lost data is an error even if only the last flush fails. Returns the exit
 * status. */
static int close_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	pm_error("standard output: %s", strerror(errno ? errno : EIO));
	return status ? status : PM_EXIT_FAILED;
}

/* Open descriptors 0 to 2 if the caller closed them, so that no file of ours gets one of these
 * numbers and then messages. Close-on-exec: a command finds them closed, as without perfmon. */
static void occupy_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Overwrite the passwords in our arguments, which every user can read; argv then points to copies
 * that keep them. */
static void hide_passwords(int argc, char **argv)
{
	/* Checkers of memory do not see what is kept in argv alone. */
	static char **copies;

	for (int i = 1; i < argc; i++) {
		if (!strstr(argv[i], "://") ||
		    (!copies && !(copies = calloc((size_t)argc, sizeof *copies))) ||
		    !(copies[i] = strdup(argv[i])))
			continue;
		pm_redact_hide(argv[i]);
		argv[i] = copies[i];
	}
}

/* Handle lack of memory before the command line is parsed: run the command of `run` unrecorded. */
static void find_command(void *arg)
{
	char **argv = arg;
	int argc = 0;
	static struct pm_cli cli;

	while (argv[argc])
		argc++;
	if (pm_cli_parse_short(&cli, argc, argv) == PM_CLI_RUN && cli.verb == PM_VERB_run &&
	    cli.argc > 0) {
		pm_run_anyway(&cli);
		pm_nomem();
	}
}

/* Sample all jobs of this host, each as its user. */
static int sample_all_jobs(const struct pm_cli *cli, struct pm_err *e)
{
	pm_verb_sample_hold();
	if (pm_verb_sample_sweep(cli, e) < 0)
		return PM_EXIT_FAILED;
	return pm_service_run(cli, pm_verb_sample, e);
}

int main(int argc, char **argv)
{
	enum pm_epmt_action epmt = PM_EPMT_RUN;
	static struct pm_epmt dialect;
	struct pm_err e = { "" };
	struct pm_cli cli;
	char off[256];
	int status;

	occupy_standard();
	hide_passwords(argc, argv);
	pm_nomem_instead(find_command, argv);
	if (pm_epmt_is(argv[0])) {
		status = pm_epmt_translate(&dialect, argc, argv, &e);
		if (status < 0) {
			pm_error("%s", e.text);
			return PM_EXIT_USAGE;
		}
		epmt = (enum pm_epmt_action)status;
		if (epmt == PM_EPMT_DONE)
			return close_output(dialect.status);
		argc = dialect.argc;
		argv = dialect.argv;
	}
	switch (pm_cli_parse(&cli, argc, argv, &e)) {
	case PM_CLI_VERSION:
		pm_version_print(&cli);
		return close_output(PM_EXIT_OK);
	case PM_CLI_HELP:
		pm_config_load();
		pm_help_print(cli.verb);
		return close_output(PM_EXIT_OK);
	case PM_CLI_RUN:
		break;
	default:
		pm_error("%s", e.text);
		return PM_EXIT_USAGE;
	}
	if (cli.verb == PM_VERB_run && cli.argc > 0)
		pm_run_anyway(&cli);
	else
		pm_nomem_instead(NULL, NULL);
	cli.self = self_path();
	cli.epmt = dialect.argc > 0;
	pm_epmt_notes(&dialect);
	pm_config_load();
	if (epmt == PM_EPMT_SHELL) {
		status = pm_db_shell(&e);
		pm_error("%s", e.text);
		return status;
	}
	if (pm_switchoff_is(&cli, off))
		cli.off = off;
	cli.batch_job = batch_job(cli.verb);
	if (cli.value[PM_OPT_log] && pm_log_also(cli.value[PM_OPT_log], &e) < 0)
		status = PM_EXIT_FAILED;
	else if (cli.verb != PM_VERB_sample)
		status = verb_function[cli.verb](&cli, &e);
	else if (cli.given[PM_OPT_all_jobs])
		status = sample_all_jobs(&cli, &e);
	else
		status = pm_samplerjob_run(&cli, pm_verb_sample, PM_SAMPLERJOB_HERE, NULL, &e);
	if (e.text[0])
		pm_error("%s", e.text);
	if (status == PM_EXIT_OK && cli.given[PM_OPT_error] && pm_log_warnings)
		status = PM_EXIT_FAILED;
	pm_epmt_free(&dialect);
	return close_output(status);
}
