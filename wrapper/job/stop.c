/* Stop a job: collate and count its records, and write the stop half of its metadata. */
#include "config.h"

#include "common/job/quality.h"
#include "common/log.h"
#include "common/now.h"
#include "wrapper/job/charge.h"
#include "wrapper/job/collate.h"
#include "wrapper/job/job.h"
#include "wrapper/job/outcome.h"
#include "wrapper/job/room.h"
#include "wrapper/job/sampler.h"
#include "wrapper/job/tallyfile.h"
#include "wrapper/metadata/environment.h"
#include "wrapper/metadata/keptsecrets.h"
#include "wrapper/metadata/metadata.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void describe_result(json_t *doc, const struct pm_job_result *result)
{
	int64_t kills =
		pm_outcome_oom_kills(pm_metadata_get_int(doc, PM_JOB_start_cgroup_oom_kills, -1),
				     pm_metadata_get_int(doc, PM_JOB_stop_cgroup_oom_kills, -1));

	if (!result && kills > 0)
		pm_metadata_text(doc, PM_JOB_stop_exit_reason, "memory");
	if (!result)
		return;
	pm_metadata_text(doc, PM_JOB_stop_exit_reason,
			 result->unstarted ? "not-started"
					   : pm_outcome_reason(result->status, kills));
	if (WIFSIGNALED(result->status))
		pm_metadata_int(doc, PM_JOB_stop_exit_signal, WTERMSIG(result->status));
	else
		pm_metadata_int(doc, PM_JOB_stop_exit_status, WEXITSTATUS(result->status));
	pm_metadata_int(doc, PM_JOB_stop_charged_cpu_us, result->cpu_us);
}

static void describe_stop(json_t *doc, int dir, const char *host)
{
	json_t *added, *removed;

	pm_metadata_int(doc, PM_JOB_stop_time_us, pm_now_us());
	pm_metadata_int(doc, PM_JOB_stop_monotonic_us, pm_now_monotonic_us());
	pm_metadata_json(doc, PM_JOB_stop_environment_changes,
			 pm_environment_changes(dir, host, &added, &removed));
	pm_metadata_json(doc, PM_JOB_stop_environment_added, added);
	pm_metadata_json(doc, PM_JOB_stop_environment_removed, removed);
	pm_keptsecrets_job_tags(doc);
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

/* Sums of this host's tallies. */
struct counts {
	int64_t lost, folded;
	json_t *reasons; /* from a reason's name to the number of lost lines */
};

static int count_slot(void *ctx, const struct pm_tally *t)
{
	struct counts *c = ctx;
	char name[PM_TALLY_SLOT];

	if (t->kind.n == 6 && memcmp(t->kind.p, "folded", 6) == 0 && t->values >= 1)
		c->folded += t->v[0];
	if (t->kind.n != 4 || memcmp(t->kind.p, "lost", 4) != 0 || t->values < 1)
		return 0;
	snprintf(name, sizeof name, "%.*s", (int)t->key.n, t->key.p);
	c->lost += t->v[0];
	json_object_set_new(
		c->reasons, name,
		json_integer(json_integer_value(json_object_get(c->reasons, name)) + t->v[0]));
	return 0;
}

/* Store the reasons with numbers as texts, the type of a map's values in the metadata. */
static void set_reasons(json_t *doc, json_t *reasons)
{
	json_t *texts = json_object(), *lines;
	const char *name;
	char text[32];

	json_object_foreach (reasons, name, lines) {
		snprintf(text, sizeof text, "%lld", (long long)json_integer_value(lines));
		json_object_set_new(texts, name, json_string(text));
	}
	pm_metadata_json(doc, PM_JOB_stop_lost_reasons, texts);
}

static void describe_tally(json_t *doc, const struct pm_jobdir *d, const char *host)
{
	struct counts c = { 0, 0, json_object() };
	struct pm_err e;

	int tallies = pm_tallyfile_each(d->fd, host, count_slot, &c, &e);

	if (tallies < 0)
		pm_warn("%s", e.text);
	/* Without a tally the numbers are unknown. */
	if (tallies > 0)
		pm_metadata_int(doc, PM_JOB_stop_lost, c.lost);
	if (tallies > 0)
		pm_metadata_int(doc, PM_JOB_stop_folded, c.folded);
	if (c.folded > 0)
		pm_warn("the record files reached max_bytes: %lld short processes are recorded "
			"only in totals per program",
			(long long)c.folded);
	if (c.lost > 0) {
		char list[256] = "";
		const char *name;
		json_t *lines;

		set_reasons(doc, c.reasons);
		json_object_foreach (c.reasons, name, lines) {
			size_t n = strlen(list);

			snprintf(list + n, sizeof list - n, "%s%s %lld", n ? ", " : "", name,
				 (long long)json_integer_value(lines));
		}
		pm_warn("%lld lines of records could not be written to %s (%s)", (long long)c.lost,
			d->path, list);
	}
	json_decref(c.reasons);
}

/* Warn about tasks of Slurm that were not recorded. */
static void warn_unrecorded(const json_t *doc)
{
	int64_t tasks = pm_metadata_get_int(doc, PM_JOB_host_tasks_unrecorded, 0);

	if (tasks > 0)
		pm_warn("%lld task%s of Slurm went unrecorded: perfmon failed, or would have taken "
			"longer than a second; the system's log says why",
			(long long)tasks, tasks == 1 ? "" : "s");
}

int pm_job_stop(struct pm_jobdir *d, const struct pm_job_result *result, struct pm_err *e)
{
	char host[256];
	struct pm_err why;
	int64_t sampler_us;
	json_t *doc;
	int rc;

	pm_jobdir_host(host, sizeof host);
	sampler_us = pm_sampler_end(d);
	if (pm_job_lock(d, e) < 0)
		return -1;
	doc = pm_metadata_read(d->fd, host, e);
	if (!doc)
		return pm_err_prefix(e, "job %s was not started on this host", d->name);
	if (pm_metadata_is_closed(doc)) {
		json_decref(doc);
		return 1;
	}
	/* Read the accounts before our own work adds to them. */
	pm_charge_stop(doc, result ? result->cpu_us : -1, sampler_us);
	/* A failure must not keep the job open: uncollated files can also be loaded. */
	if (pm_collate(d->fd, host, &why) < 0)
		pm_warn("%s: %s", d->path, why.text);
	describe_stop(doc, d->fd, host);
	describe_result(doc, result);
	describe_quality(doc, d->fd, host);
	describe_tally(doc, d, host);
	warn_unrecorded(doc);
	rc = pm_room_write(d->fd, host, doc, e);
	if (rc == 0)
		pm_environment_forget(d->fd, host);
	else
		pm_err_prefix(e, "%s", d->path);
	json_decref(doc);
	return rc;
}
