/*
 * The epoch tells apart two jobs with the same id. Slurm before 23.02 does not tell a job its start
 * time, nor do most other batch systems; then the epoch is the start of the job's first task on a
 * host, which differs between hosts. Epochs from a batch system are whole seconds.
 */
#include "config.h"

#include "submit/epoch.h"

#include "db/jobrow.h"
#include "submit/job.h"

#include <string.h>

#define SECOND_US 1000000

/* Longest gap between two hosts of one job, which need not run at the same time. Job ids are reused
 * after far longer. */
#define SLACK_US ((int64_t)24 * 3600 * SECOND_US)

/* Whether the epoch is a host's own, since the batch system did not tell the job's start. */
static bool is_vague(const struct pm_meta *m)
{
	const char *scheduler = m->text[PM_JOB_job_scheduler];

	return scheduler && *scheduler && strcmp(scheduler, "none") != 0 &&
	       m->set[PM_JOB_job_epoch_us] && m->number[PM_JOB_job_epoch_us] % SECOND_US != 0;
}

/* Whether the job has another recording of a gathered host, with another start time. Returns 1, 0,
 * or -1 with e filled. */
static int has_other(struct pm_db *db, int64_t job, const struct pm_gather *g, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(db,
			  "SELECT 1 FROM host WHERE job_id = ? AND boot_id = ? AND hostname = ? "
			  "AND start_time_us <> ?",
			  &q, e) < 0)
		return -1;
	for (size_t i = 0; i < g->metas && rc == 0; i++) {
		const struct pm_meta *m = &g->meta[i];

		if (!m->set[PM_JOB_start_time_us])
			continue;
		pm_db_bind_int(q, 1, job);
		pm_db_bind_str(q, 2, m->text[PM_JOB_host_boot_id]);
		pm_db_bind_str(q, 3, m->text[PM_JOB_host_hostname]);
		pm_db_bind_int(q, 4, m->number[PM_JOB_start_time_us]);
		rc = pm_db_step(q, e);
		pm_db_reset(q);
	}
	pm_db_finish(q);
	return rc > 0 ? 1 : rc;
}

#define OF_ID PM_JOBIDENTITY_IS_ANY("")

int64_t pm_epoch_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		      int64_t *epoch, struct pm_err *e)
{
	int64_t began = id->number[PM_JOB_job_epoch_us], ended = began, job = 0;
	const struct pm_jobidentity of = pm_job_identity_of(id);
	struct pm_stmt *q;
	int rc, at;

	if (!is_vague(id))
		return 0;
	for (size_t i = 0; i < g->metas; i++)
		if (g->meta[i].set[PM_JOB_stop_time_us] &&
		    g->meta[i].number[PM_JOB_stop_time_us] > ended)
			ended = g->meta[i].number[PM_JOB_stop_time_us];
	if (pm_db_prepare(db,
			  "SELECT id, epoch_us FROM job WHERE " OF_ID " AND scheduler = ? AND "
			  "epoch_us % 1000000 <> 0 AND epoch_us <= ? AND "
			  "coalesce(end_us, epoch_us) >= ? ORDER BY abs(epoch_us - ?)",
			  &q, e) < 0)
		return -1;
	at = pm_jobrow_bind(q, 1, &of);
	pm_db_bind_str(q, at++, id->text[PM_JOB_job_scheduler]);
	pm_db_bind_int(q, at++, ended + SLACK_US);
	pm_db_bind_int(q, at++, began - SLACK_US);
	pm_db_bind_int(q, at, began);
	while (job == 0 && (rc = pm_db_step(q, e)) != 0) {
		int other = rc > 0 ? has_other(db, pm_db_int(q, 0), g, e) : -1;

		*epoch = other == 0 ? pm_db_int(q, 1) : 0;
		job = other == 0 ? pm_db_int(q, 0) : -(other < 0);
	}
	pm_db_finish(q);
	return job;
}

/* Set a job's epoch to an earlier time. Returns 0 or -1 with e filled. */
static int correct_epoch(struct pm_db *db, int64_t job, int64_t epoch, struct pm_userdays *days,
			 struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_userdays_note(days, db, job, -1, e) < 0 ||
	    pm_db_prepare(db, "UPDATE job SET epoch_us = ? WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, epoch);
	pm_db_bind_int(q, 2, job);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc < 0 ? -1 : pm_userdays_note(days, db, job, 1, e);
}

int pm_epoch_adopt(struct pm_db *db, const struct pm_gather *g, struct pm_meta *id,
		   struct pm_userdays *days, struct pm_err *e)
{
	int64_t job, epoch;

	job = pm_epoch_find(db, g, id, &epoch, e);
	if (job <= 0)
		return job < 0 ? -1 : 0;
	if (epoch <= id->number[PM_JOB_job_epoch_us]) {
		id->number[PM_JOB_job_epoch_us] = epoch;
		return 0;
	}
	return correct_epoch(db, job, id->number[PM_JOB_job_epoch_us], days, e);
}
