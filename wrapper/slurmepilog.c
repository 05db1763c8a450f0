/*
 * Slurm's Epilog. Its environment is not that of the job: an element of an array has its own id
 * there and not the array's, so that jobs are known by what they wrote down as element_id.
 */
#include "config.h"

#include "wrapper/slurmepilog.h"
#include "common/log.h"
#include "common/tsv.h"
#include "wrapper/ending.h"
#include "wrapper/environment.h"
#include "wrapper/job.h"
#include "wrapper/metadata.h"
#include "wrapper/slurmtask.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Which job, and the latest of that id found. */
struct search {
	const char *element, *cluster;
	int64_t restarts; /* -1: not known */
	char host[256];
	struct pm_jobdir best;
	int64_t best_us;
};

/* A job that is requeued counts as restarted already when Epilog ends its last run. */
static int is_run(const json_t *doc, int64_t restarts)
{
	int64_t count = pm_metadata_get_int(doc, PM_JOB_job_restart_count, 0);

	return restarts < 0 || count == restarts || count == restarts - 1;
}

static int is_wanted(const json_t *doc, const struct search *s)
{
	const json_t *facts = pm_metadata_get(doc, PM_JOB_job_facts);
	const char *element = json_string_value(json_object_get(facts, "element_id"));
	const char *scheduler = pm_metadata_get_text(doc, PM_JOB_job_scheduler);
	const char *cluster = pm_metadata_get_text(doc, PM_JOB_job_cluster);

	return element && strcmp(element, s->element) == 0 && scheduler &&
	       strcmp(scheduler, "slurm") == 0 &&
	       (!s->cluster || (cluster && strcmp(cluster, s->cluster) == 0)) &&
	       is_run(doc, s->restarts);
}

static int consider(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	json_t *doc = pm_metadata_read(d->fd, s->host, NULL);
	int64_t us = pm_metadata_get_int(doc, PM_JOB_start_time_us, 0);

	if (doc && is_wanted(doc, s) && (s->best.fd < 0 || us > s->best_us)) {
		pm_jobdir_close(&s->best);
		s->best = *d;
		s->best.fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		s->best_us = us;
	}
	json_decref(doc);
	return 0;
}

/* How the batch script ended, "CODE:SIGNAL", into the metadata of this host. Returns 0 or -1 with e
 * filled. */
static int note_ending(const struct pm_jobdir *d, const char *host, struct pm_err *e)
{
	const char *text = pm_sched_text("SLURM_JOB_EXIT_CODE2");
	int code, sig, rc;
	json_t *doc;

	if (!text || sscanf(text, "%d:%d", &code, &sig) != 2 || code < 0 || code > 255 || sig < 0 ||
	    sig > 126)
		return 0;
	doc = pm_metadata_read(d->fd, host, e);
	if (!doc)
		return -1;
	/* The kernel's word on why counts more. */
	if (!pm_metadata_get(doc, PM_JOB_stop_exit_reason))
		pm_metadata_text(doc, PM_JOB_stop_exit_reason,
				 pm_ending_reason(sig ? sig : code << 8, -1));
	if (sig)
		pm_metadata_int(doc, PM_JOB_stop_exit_signal, sig);
	else
		pm_metadata_int(doc, PM_JOB_stop_exit_status, code);
	rc = pm_metadata_write(d->fd, host, doc, e);
	json_decref(doc);
	return rc;
}

int pm_slurmepilog_end(const struct pm_cli *cli, struct pm_err *e)
{
	struct search s = { .element = pm_sched_text("SLURM_JOB_ID"),
			    .cluster = pm_sched_text("SLURM_CLUSTER_NAME"),
			    .restarts = -1,
			    .best = { .fd = -1 } };
	const char *restarts = pm_sched_text("SLURM_JOB_RESTART_COUNT");
	int rc;

	if (!s.element || cli->value[PM_OPT_job]) {
		pm_err(e, "--slurm needs a job of Slurm (SLURM_JOB_ID), and no -j");
		return PM_EXIT_FAILED;
	}
	if (restarts && pm_tsv_number(restarts, strlen(restarts), &s.restarts) < 0)
		s.restarts = -1;
	pm_jobdir_host(s.host, sizeof s.host);
	if (pm_jobdir_each(consider, &s, e) < 0)
		return PM_EXIT_FAILED;
	if (s.best.fd < 0) {
		pm_info("job %s left nothing here", s.element);
		return PM_EXIT_OK;
	}
	rc = pm_job_lock(&s.best, e);
	if (rc == 0) {
		pm_slurmtask_forget(&s.best, s.host);
		rc = pm_job_stop(&s.best, NULL, e);
	}
	if (rc >= 0)
		rc = note_ending(&s.best, s.host, e);
	if (rc == 0)
		printf("%s\n", s.best.name);
	pm_jobdir_close(&s.best);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
