/* perfmon delete: take jobs out of the database. */
#include "config.h"

#include "common/cli/ask.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/erase.h"
#include "manage/jobs.h"
#include "report/jobwords.h"

#include <stdio.h>

/* Delete one job in a transaction of its own. Returns 1, 0 if it was gone, or -1 with e filled. */
static int delete_job(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	int rc = pm_db_begin(db, e);

	if (rc < 0)
		return -1;
	rc = pm_erase_job(db, job, &days, e);
	if (rc > 0 && pm_userdays_apply(&days, db, e) < 0)
		rc = -1;
	if (rc > 0 && pm_db_commit(db, e) < 0)
		rc = -1;
	if (rc <= 0)
		pm_db_rollback(db);
	pm_userdays_free(&days);
	return rc;
}

static void print_job(const struct pm_jobs_one *job, const char *how, const struct pm_db *from)
{
	pm_terminal_print(stdout, "%s job %s with %lld process%s%s%s\n", how, job->name,
			  (long long)job->processes, job->processes == 1 ? "" : "es",
			  from ? " from " : "", from ? pm_db_name(from) : "");
}

/* Print for each job what will be done. Returns 0 or -1 with e filled. */
static int print_jobs(struct pm_db *db, const struct pm_jobs *jobs, const char *how,
		      struct pm_err *e)
{
	struct pm_jobs_one one;
	int rc;

	for (size_t i = 0; i < jobs->n; i++) {
		rc = pm_jobs_read(&one, db, jobs->id[i], e);
		if (rc < 0)
			return -1;
		if (rc > 0)
			print_job(&one, how, db);
	}
	return 0;
}

/* Warn of models that a job is in: they keep what they have of it. Returns 0 or -1 with e filled.
 */
static int warn_of_models(struct pm_db *db, const struct pm_jobs *jobs, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_db_prepare(db, "SELECT model FROM model_job WHERE job_id = ? ORDER BY model",
			       &q, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < jobs->n && rc >= 0; i++) {
		pm_db_bind_int(q, 1, jobs->id[i]);
		while ((rc = pm_db_step(q, e)) > 0)
			pm_warn("job #%lld is in model %s, which keeps what it knows of it",
				(long long)jobs->id[i], pm_db_text(q, 0, NULL));
		pm_db_reset(q);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int delete_all(struct pm_db *db, const struct pm_jobs *jobs, struct pm_err *e)
{
	struct pm_jobs_one one;
	int rc;

	for (size_t i = 0; i < jobs->n; i++) {
		rc = pm_jobs_read(&one, db, jobs->id[i], e);
		if (rc > 0)
			rc = delete_job(db, one.id, e);
		if (rc < 0)
			return pm_err_prefix(e, "delete job #%lld from %s", (long long)jobs->id[i],
					     pm_db_name(db));
		if (rc > 0 && pm_log_level >= 0)
			print_job(&one, "deleted", NULL);
	}
	return 0;
}

static int delete_jobs(struct pm_db *db, const struct pm_cli *cli, const struct pm_jobs *jobs,
		       struct pm_err *e)
{
	bool dry = cli->given[PM_OPT_dry_run];
	int status;

	if ((dry || !cli->given[PM_OPT_force]) &&
	    print_jobs(db, jobs, dry ? "would delete" : "will delete", e) < 0)
		return PM_EXIT_FAILED;
	if (pm_jobwords_given(cli) && pm_log_level >= 0)
		printf("%zu job%s%s\n", jobs->n, jobs->n == 1 ? "" : "s",
		       dry ? " would be deleted" : " to delete");
	if (warn_of_models(db, jobs, e) < 0)
		return PM_EXIT_FAILED;
	if (dry || jobs->n == 0)
		return PM_EXIT_OK;
	status = pm_ask(cli, "This cannot be undone. Go on?", e);
	if (status != PM_EXIT_OK)
		return status;
	if (delete_all(db, jobs, e) < 0)
		return PM_EXIT_FAILED;
	if (cli->given[PM_OPT_vacuum] && pm_db_compact(db, e) < 0) {
		pm_err_prefix(e, "free the space of deleted jobs in %s", pm_db_name(db));
		return PM_EXIT_FAILED;
	}
	return PM_EXIT_OK;
}

int pm_verb_delete(const struct pm_cli *cli, struct pm_err *e)
{
	enum pm_db_mode mode = cli->given[PM_OPT_dry_run] ? PM_DB_READ : PM_DB_CHANGE;
	struct pm_jobs jobs = { 0 };
	struct pm_db *db = NULL;
	int status;

	if (cli->argc == 0 && !cli->value[PM_OPT_job] && !pm_jobwords_given(cli)) {
		pm_err(e, "delete: name the jobs to delete, or say by options such as --tag which; "
			  "see perfmon list jobs");
		return PM_EXIT_USAGE;
	}
	if (pm_db_open(&db, pm_config_get(PM_SET_db), mode, e) < 0)
		return PM_EXIT_FAILED;
	/* Find all jobs before the first is deleted. */
	status = pm_jobs_find(&jobs, db, cli, 0, e);
	if (status == PM_EXIT_OK)
		status = delete_jobs(db, cli, &jobs, e);
	pm_jobs_free(&jobs);
	pm_db_close(db);
	return status;
}
