/*
 * Slurm's Epilog. Its environment is not the job's: for an element of an array, Epilog gets the
 * element's id but not the array's. So jobs are found by the element_id in their metadata.
 */
#include "config.h"

#include "wrapper/job/slurmepilog.h"

#include "common/bootid.h"
#include "common/log.h"
#include "common/safe/tsv.h"
#include "wrapper/job/job.h"
#include "wrapper/job/outcome.h"
#include "wrapper/job/slurmtask.h"
#include "wrapper/metadata/metadata.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The job that has ended. */
struct search {
	const char *element, *cluster;
	int64_t restarts; /* -1: unknown */
	char host[256], boot[64];
	int64_t newest_us, newest_restarts; /* of the most recently started directory */
	struct pm_ident id;
	int rc;
	struct pm_err *e;
};

/* Whether metadata with this restart count may be of the run that ends: when a job is requeued,
 * Epilog may get the restart count of the next run already. */
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
	       (!s->cluster || !cluster || !*cluster || strcmp(cluster, s->cluster) == 0) &&
	       is_run(doc, s->restarts);
}

/* Read this host's metadata in a directory; NULL: the directory is not that of the job. */
static json_t *read_wanted(const struct pm_jobdir *d, const struct search *s)
{
	json_t *doc = pm_metadata_read(d->fd, s->host, NULL);

	if (doc && is_wanted(doc, s))
		return doc;
	json_decref(doc);
	return NULL;
}

static int consider_directory(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	json_t *doc = read_wanted(d, s);
	int64_t us = pm_metadata_get_int(doc, PM_JOB_start_time_us, 0);

	if (doc && us >= s->newest_us) {
		s->newest_us = us;
		s->newest_restarts = pm_metadata_get_int(doc, PM_JOB_job_restart_count, 0);
	}
	json_decref(doc);
	return 0;
}

/* Whether a directory belongs to the run of the job that has just ended, not to an earlier run or
 * to an old job with the same id. */
static bool is_of_this_run(const json_t *doc, const struct search *s)
{
	const char *boot = pm_metadata_get_text(doc, PM_JOB_host_boot_id);

	return pm_metadata_get_int(doc, PM_JOB_job_restart_count, 0) == s->newest_restarts &&
	       boot && strcmp(boot, s->boot) == 0;
}

/* Complete the job's key in this host's metadata, and add the exit status of the batch script from
 * SLURM_JOB_EXIT_CODE2, "CODE:SIGNAL". Returns 0 or -1 with e filled. */
static int note_ending(const struct pm_jobdir *d, const struct search *s, struct pm_err *e)
{
	const char *text = pm_sched_text("SLURM_JOB_EXIT_CODE2");
	json_t *doc = pm_metadata_read(d->fd, s->host, e);
	int code, sig, rc = 0;

	if (!doc)
		return -1;
	if (!text || sscanf(text, "%d:%d", &code, &sig) != 2 || code < 0 || code > 255 || sig < 0 ||
	    sig > 126 || !is_of_this_run(doc, s)) {
		if (pm_job_complete(doc, &s->id))
			rc = pm_metadata_write(d->fd, s->host, doc, e);
		json_decref(doc);
		return rc;
	}
	pm_job_complete(doc, &s->id);
	/* Keep a reason that is there: it comes from the kernel. */
	if (!pm_metadata_get(doc, PM_JOB_stop_exit_reason))
		pm_metadata_text(doc, PM_JOB_stop_exit_reason,
				 pm_outcome_reason(sig ? sig : code << 8, -1));
	if (sig)
		pm_metadata_int(doc, PM_JOB_stop_exit_signal, sig);
	else
		pm_metadata_int(doc, PM_JOB_stop_exit_status, code);
	rc = pm_metadata_write(d->fd, s->host, doc, e);
	json_decref(doc);
	return rc;
}

/* Close one directory of the job; a failure does not stop the walk. */
static int finish_directory(const struct pm_jobdir *found, void *arg)
{
	struct search *s = arg;
	struct pm_jobdir d = *found;
	json_t *doc = read_wanted(&d, s);
	int rc;

	if (!doc)
		return 0;
	json_decref(doc);
	/* Lock a descriptor of our own: the walk's stays open, and would stay locked, until the
	 * walk ends. */
	d.fd = openat(found->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = d.fd < 0 ? pm_err(s->e, "open %s: %m", d.path) : pm_job_lock(&d, s->e);
	if (rc == 0) {
		pm_slurmtask_forget(&d, s->host);
		rc = pm_job_stop(&d, NULL, s->e);
	}
	if (rc >= 0)
		rc = note_ending(&d, s, s->e);
	if (rc == 0)
		printf("%s\n", d.path);
	else
		s->rc = -1;
	pm_jobdir_close(&d);
	return 0;
}

int pm_slurmepilog_end(const struct pm_cli *cli, struct pm_err *e)
{
	struct search s = { .element = pm_sched_text("SLURM_JOB_ID"),
			    .cluster = pm_sched_text("SLURM_CLUSTER_NAME"),
			    .restarts = -1,
			    .newest_us = -1,
			    .e = e };
	const char *restarts = pm_sched_text("SLURM_JOB_RESTART_COUNT");

	if (!s.element || cli->value[PM_OPT_job]) {
		pm_err(e, "--slurm needs a Slurm job (SLURM_JOB_ID) and takes no -j");
		return PM_EXIT_FAILED;
	}
	if (restarts && pm_tsv_number(restarts, strlen(restarts), &s.restarts) < 0)
		s.restarts = -1;
	pm_sched_identify(&s.id);
	/* Epilog knows neither the array nor, by this name, the count of restarts. */
	s.id.restart_count = -1;
	pm_jobdir_host(s.host, sizeof s.host);
	pm_bootid_read(s.boot);
	if (pm_jobdir_each(consider_directory, &s, e) < 0)
		return PM_EXIT_FAILED;
	if (s.newest_us < 0) {
		pm_info("job %s left no records on this host", s.element);
		return PM_EXIT_OK;
	}
	if (pm_jobdir_each(finish_directory, &s, e) < 0)
		return PM_EXIT_FAILED;
	return s.rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
