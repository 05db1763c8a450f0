/* Stopping a job: collating, counting, and the stop half of its metadata. */
#include "config.h"

#include "common/config.h"
#include "common/log.h"
#include "wrapper/cgroup.h"
#include "wrapper/collate.h"
#include "wrapper/environment.h"
#include "wrapper/host.h"
#include "wrapper/job.h"
#include "wrapper/metadata.h"
#include "wrapper/quality.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void describe_result(json_t *doc, const struct pm_job_result *result)
{
	if (!result)
		return;
	if (WIFSIGNALED(result->status))
		pm_metadata_int(doc, PM_JOB_stop_exit_signal, WTERMSIG(result->status));
	else
		pm_metadata_int(doc, PM_JOB_stop_exit_status, WEXITSTATUS(result->status));
	pm_metadata_int(doc, PM_JOB_stop_charged_cpu_us, result->cpu_us);
}

static void describe_stop(json_t *doc, int dir, const char *host)
{
	const char *cgroup = pm_metadata_get_text(doc, PM_JOB_start_cgroup);
	int64_t us;

	pm_metadata_int(doc, PM_JOB_stop_time_us, pm_host_now_us());
	pm_metadata_int(doc, PM_JOB_stop_monotonic_us, pm_host_monotonic_us());
	if (cgroup && pm_cgroup_cpu_us(cgroup, &us) == 0)
		pm_metadata_int(doc, PM_JOB_stop_cgroup_cpu_us, us);
	pm_metadata_json(doc, PM_JOB_stop_environment_changes, pm_environment_changes(dir, host));
	pm_metadata_add_tags(doc, pm_config_get(PM_SET_job_tags));
}

static void describe_quality(json_t *doc, int dir, const char *host)
{
	struct pm_quality q;
	struct pm_err e;

	if (pm_quality_count(dir, host, &q, &e) < 0) {
		pm_warn("%s", e.text);
		return;
	}
	pm_metadata_int(doc, PM_JOB_stop_files, q.files);
	pm_metadata_int(doc, PM_JOB_stop_bytes, q.bytes);
	pm_metadata_int(doc, PM_JOB_stop_records, q.records);
	pm_metadata_int(doc, PM_JOB_stop_without_end, q.without_end);
}

int pm_job_stop(struct pm_jobdir *d, const struct pm_job_result *result, struct pm_err *e)
{
	char host[256];
	struct pm_err why;
	json_t *doc;
	int rc;

	pm_jobdir_host(host, sizeof host);
	if (pm_job_lock(d, e) < 0)
		return -1;
	doc = pm_metadata_read(d->fd, host, e);
	if (!doc)
		return pm_err_prefix(e, "job %s was not started on this host", d->name);
	if (pm_metadata_is_closed(doc)) {
		json_decref(doc);
		return 1;
	}
	/* Uncollated files load as well: that must not keep the job open. */
	if (pm_collate(d->fd, host, &why) < 0)
		pm_warn("%s", why.text);
	describe_stop(doc, d->fd, host);
	describe_result(doc, result);
	describe_quality(doc, d->fd, host);
	rc = pm_metadata_write(d->fd, host, doc, e);
	if (rc == 0)
		pm_environment_forget(d->fd, host);
	json_decref(doc);
	return rc;
}

/* 1 when the job is that of a run -a around us, which stops it itself. */
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

int pm_verb_stop(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d;
	int rc;

	if (cli->argc > 0) {
		pm_err(e, "stop takes no operand; choose a job with -j");
		return PM_EXIT_USAGE;
	}
	if (pm_job_find(cli, PM_JOB_OPEN, &d, e) != 0)
		return PM_EXIT_FAILED;
	if (is_around_us(cli, &d)) {
		pm_warn("job %s is left open: the perfmon run -a around it stops it", d.name);
		rc = 0;
	} else if (cli->given[PM_OPT_dry_run]) {
		printf("would stop job %s in %s\n", d.name, d.path);
		rc = 0;
	} else {
		rc = pm_job_stop(&d, NULL, e);
		if (rc >= 0)
			pm_info("job %s is complete in %s", d.name, d.path);
	}
	pm_jobdir_close(&d);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
