/* perfmon stop: close a job. */
#include "config.h"

#include "common/log.h"
#include "common/terminal.h"
#include "wrapper/job/job.h"
#include "wrapper/job/slurmepilog.h"
#include "wrapper/job/slurmtask.h"
#include "wrapper/metadata/metadata.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the job belongs to a perfmon run -a around us, which stops the job itself. */
static int is_around_us(const struct pm_cli *cli, const struct pm_jobdir *d)
{
	char host[256];
	json_t *doc;
	int around;

	if (cli->value[PM_OPT_job])
		return 0;
	pm_jobdir_host(host, sizeof host);
	doc = pm_metadata_read(d->fd, host, NULL);
	around = doc && pm_job_is_automatic(doc) && !pm_metadata_is_closed(doc);
	json_decref(doc);
	return around;
}

/* Whether the job's name, <session>-<number>, is that of a job without a batch system that was
 * started in this session. */
static bool is_of_session(const char *name)
{
	char session[32];

	snprintf(session, sizeof session, "%ld-", (long)getsid(0));
	return strncmp(name, session, strlen(session)) == 0;
}

/* Whether the job was stopped before, of which a warning tells. */
static bool is_stopped(const struct pm_cli *cli)
{
	struct pm_jobdir d;
	struct pm_err ignored;
	bool is = true;

	if (pm_job_find(cli, PM_JOB_ANY, &d, &ignored) != 0) {
		if (cli->value[PM_OPT_job] || pm_job_find(cli, PM_JOB_LAST, &d, &ignored) != 0)
			return false;
		is = is_of_session(d.name);
	}
	if (is)
		pm_warn("job %s is closed already", d.name);
	pm_jobdir_close(&d);
	return is;
}

int pm_verb_stop(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d;
	int rc;

	if (cli->argc > 0) {
		pm_err(e, "stop takes no operand; choose a job with -j");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_slurm] && cli->given[PM_OPT_all])
		return pm_slurmepilog_end(cli, e);
	if (cli->given[PM_OPT_slurm])
		return pm_slurmtask_end(cli, e);
	rc = pm_job_find(cli, PM_JOB_OPEN, &d, e);
	if (rc == 1 && cli->off) {
		pm_info("no job is open: %s", cli->off);
		e->text[0] = '\0';
		return PM_EXIT_OK;
	}
	if (rc == 1 && !cli->given[PM_OPT_error] && is_stopped(cli)) {
		e->text[0] = '\0';
		return PM_EXIT_OK;
	}
	if (rc != 0)
		return PM_EXIT_FAILED;
	if (is_around_us(cli, &d)) {
		pm_warn("job %s is left open: the enclosing perfmon run -a stops it", d.name);
		rc = 0;
	} else if (cli->given[PM_OPT_dry_run]) {
		pm_terminal_print(stdout, "would stop job %s in %s\n", d.name, d.path);
		rc = 0;
	} else {
		rc = pm_job_stop(&d, NULL, e);
		if (rc >= 0)
			pm_info("job %s is complete in %s", d.name, d.path);
	}
	pm_jobdir_close(&d);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
