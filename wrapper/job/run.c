/* perfmon run: run the command as if perfmon were not there, and record it. */
#include "config.h"

#include "wrapper/job/run.h"

#include "common/handed.h"
#include "common/log.h"
#include "common/nomem.h"
#include "common/settings/readconfig.h"
#include "wrapper/events/events.h"
#include "wrapper/job/charge.h"
#include "wrapper/job/job.h"
#include "wrapper/job/launch.h"
#include "wrapper/job/sampler.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/process/child.h"
#include "wrapper/process/reaped.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Become the command, in our unchanged environment. */
static int run_bare(const struct pm_cli *cli)
{
	pm_child_exec(cli->argv, environ);
	return pm_child_complain(cli->argv[0], errno);
}

/* --- out of memory ---------------------------------------------------------------------------- */

/* Before the command was started: become the command. */
static void instead_of_recording(void *arg)
{
	const struct pm_cli *cli = arg;

	pm_warn("not recorded: out of memory");
	_exit(run_bare(cli));
}

/* While the command runs: wait for it and end as it does. */
static void instead_of_watching(void *arg)
{
	struct pm_child *child = arg;
	struct pm_err e;

	pm_warn("the rest of the job is not recorded: out of memory");
	if (pm_child_wait(child, &e) < 0)
		pm_warn("%s", e.text);
	_exit(pm_child_exit_status(child->status));
}

static void instead_of_closing(void *arg)
{
	const int *status = arg;

	pm_warn("the job is not closed: out of memory");
	_exit(*status);
}

void pm_run_anyway(const struct pm_cli *cli)
{
	pm_nomem_instead(instead_of_recording, (void *)(uintptr_t)cli);
}

/* --- recording -------------------------------------------------------------------------------- */

/* Become the command, unrecorded even if the shell around us is recorded. */
static int run_unrecorded(const struct pm_cli *cli)
{
	char *text, **bare = pm_launch_bare_environ(cli, &text);
	int why;

	pm_child_exec(cli->argv, bare ? bare : environ);
	why = errno;
	free(bare);
	free(text);
	return pm_child_complain(cli->argv[0], why);
}

/* Make the environment in which the command is recorded; if that fails, warn and return environ.
 * The caller frees *l, and the array unless it is environ. */
static char **command_environ(const struct pm_cli *cli, const struct pm_jobdir *d,
			      struct pm_launch *l)
{
	char host[256], **envp = NULL;
	struct pm_err e;
	json_t *doc;

	pm_jobdir_host(host, sizeof host);
	doc = pm_metadata_read(d->fd, host, &e);
	if (!doc)
		doc = pm_metadata_read(d->fd, "", &e);
	if (doc && pm_launch_prepare(l, cli, d, doc, &e) == 0) {
		envp = pm_launch_environ(l);
		if (!envp)
			pm_err(&e, "out of memory");
	}
	json_decref(doc);
	if (envp) {
		for (int i = 0; i < l->count; i++)
			if (strcmp(l->variable[i].name, pm_handed_name[PM_HANDED_events]) == 0)
				pm_events_hold(l->variable[i].value);
		return envp;
	}
	pm_warn("processes are not recorded: %s", e.text);
	return environ;
}

/* Stop the job that -a started. A failure does not change the command's status. */
static void stop_job(struct pm_jobdir *d, const struct pm_child *c)
{
	struct pm_job_result result = { 0 };
	struct pm_err e;

	result.status = c->status;
	/* The CPU time of a child that did not become the command is perfmon's own. */
	result.unstarted = c->exec_errno != 0;
	if (!result.unstarted)
		result.cpu_us =
			((int64_t)c->usage.ru_utime.tv_sec + c->usage.ru_stime.tv_sec) * 1000000 +
			c->usage.ru_utime.tv_usec + c->usage.ru_stime.tv_usec;
	if (pm_job_stop(d, &result, &e) < 0)
		pm_warn("job %s is not stopped: %s; stop it later with `perfmon stop -j %s`",
			d->name, e.text, d->name);
	else
		pm_info("job %s is complete in %s", d->name, d->path);
}

/* Record wait status and usage of a process. Warn once if the disk is full; other errors mean that
 * the job's directory is gone, which its owner knows. */
static void write_reaped(const struct pm_jobdir *d, const struct pm_child *c)
{
	static bool told;
	struct pm_err e;

	errno = 0;
	if (pm_reaped_write(d, c, &e) == 0)
		return;
	if ((errno != ENOSPC && errno != EDQUOT) || told) {
		pm_info("%s", e.text);
		return;
	}
	told = true;
	pm_warn("the wait status of process %ld is not recorded: %s: %s", (long)c->pid, d->path,
		e.text);
}

/* The argument of orphan_ended. */
struct orphans {
	const struct pm_jobdir *d;
	struct rusage *sum;
};

static void orphan_ended(const struct pm_child *c, void *arg)
{
	struct orphans *o = arg;

	write_reaped(o->d, c);
	/* The job is charged for all orphans. */
	timeradd(&o->sum->ru_utime, &c->usage.ru_utime, &o->sum->ru_utime);
	timeradd(&o->sum->ru_stime, &c->usage.ru_stime, &o->sum->ru_stime);
}

/* Run the command as part of the open job. Returns its status. */
static int run_in(const struct pm_cli *cli, struct pm_jobdir *d, int stop)
{
	struct pm_launch launch = { .count = 0 };
	char **envp = command_environ(cli, d, &launch);
	struct pm_child child;
	struct pm_err e;
	pid_t sampler;
	int status, ended;

	if (cli->given[PM_OPT_reap_orphans])
		pm_child_adopt();
	if (pm_child_start(&child, cli->argv, envp, stop ? pm_charge_follow : NULL, &e) < 0) {
		/* We cannot fork: running the command is more important than recording it. */
		pm_warn("not recorded: %s", e.text);
		return run_bare(cli);
	}
	if (child.exec_errno) {
		pm_nomem_instead(instead_of_closing, &status);
		status = pm_child_complain(cli->argv[0], child.exec_errno);
		sampler = 0;
	} else {
		pm_nomem_instead(instead_of_watching, &child);
		sampler = pm_sampler_start(cli, d, child.pid, &e);
		if (sampler < 0)
			pm_warn("%s", e.text);
		status = -1;
	}
	if (pm_child_wait(&child, &e) < 0) {
		pm_warn("%s", e.text);
		child.status = 0;
	}
	ended = status < 0 ? pm_child_exit_status(child.status) : status;
	pm_nomem_instead(instead_of_closing, &ended);
	pm_sampler_stop(sampler);
	if (status < 0) {
		status = ended;
		write_reaped(d, &child);
	}
	if (cli->given[PM_OPT_reap_orphans]) {
		struct orphans o = { d, &child.usage };

		if (pm_child_reap_orphans(orphan_ended, &o) != 0)
			pm_warn("processes of the command are still running");
	}
	if (stop)
		stop_job(d, &child);
	pm_launch_free(&launch);
	if (envp != environ)
		free(envp);
	pm_child_follow(&child);
	pm_nomem_instead(NULL, NULL);
	return status;
}

int pm_verb_run(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d;
	int rc, status, created = 0;

	if (cli->argc == 0) {
		pm_err(e, "run needs a command");
		return PM_EXIT_USAGE;
	}
	if (cli->off)
		pm_info("not recorded: %s", cli->off);
	if (cli->given[PM_OPT_dry_run] || cli->off)
		return run_unrecorded(cli);
	if (cli->given[PM_OPT_auto])
		rc = pm_job_start(cli, cli->argv, &d, &created, e);
	else
		rc = pm_job_find(cli, PM_JOB_OPEN, &d, e);
	/* Several jobs are open: the user has to choose one. */
	if (rc < 0 && !cli->given[PM_OPT_auto])
		return PM_EXIT_FAILED;
	if (rc != 0) {
		pm_warn("not recorded: %s", e->text);
		e->text[0] = '\0';
		return run_bare(cli);
	}
	e->text[0] = '\0';
	/* The command may call perfmon on its own job. */
	pm_job_unlock(&d);
	if (created)
		pm_info("job %s started in %s", d.name, d.path);
	status = run_in(cli, &d, created);
	pm_jobdir_close(&d);
	return status;
}
