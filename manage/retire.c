/* perfmon retire: delete jobs that have been kept for the required time. */
#include "config.h"

#include "manage/retire.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/erase.h"
#include "sql/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Jobs that ended, or at least began, before a time. A job whose detail is deleted has no row in
 * any of these tables. With EXISTS, PostgreSQL may read the tables of all jobs into a hash. */
#define OLD "FROM job j WHERE " PM_SCHEMA_JOB_END("j.") " < ?"
#define HAS_DETAIL                                                                                 \
	" AND ((SELECT 1 FROM process p WHERE p.job_id = j.id LIMIT 1) = 1"                        \
	" OR (SELECT 1 FROM series s WHERE s.job_id = j.id LIMIT 1) = 1"                           \
	" OR (SELECT 1 FROM content c WHERE c.job_id = j.id LIMIT 1) = 1)"

/* Maximum number of jobs of a transaction. */
#define BATCH 256

struct old {
	int64_t id, processes;
};

int pm_retire_prepare(const struct pm_retire *r, const char *what, const char *tail,
		      struct pm_stmt **q, struct pm_err *e)
{
	char sql[1024];

	snprintf(sql, sizeof sql, "SELECT %s " OLD "%s%s", what, r->keep_summary ? HAS_DETAIL : "",
		 tail);
	if (pm_db_prepare(r->db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, r->before_us);
	return 0;
}

/* Count the jobs to retire. Returns 0 or -1. */
static int count_old(struct pm_retire *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_retire_prepare(r, "count(*), coalesce(sum(j.processes), 0)", "", &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		r->jobs = pm_db_int(q, 0);
		r->processes = pm_db_int(q, 1);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Note in the job's summary that its detail is deleted. */
static int mark_retired(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "UPDATE job SET problems = CASE WHEN problems IS NULL THEN '' ELSE "
			  "problems || '; ' END || 'retired: its processes, counters and samples "
			  "are no longer here' WHERE id = ? AND coalesce(problems, '') NOT LIKE "
			  "'%retired: its processes%'",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Find the oldest jobs. Returns how many, or -1 with e filled. */
static int find_oldest(struct pm_retire *r, struct old *old, struct pm_err *e)
{
	struct pm_stmt *q;
	int n = 0, rc;

	if (pm_retire_prepare(r, "j.id, coalesce(j.processes, 0)",
			      " ORDER BY " PM_SCHEMA_JOB_END("j.") ", j.id LIMIT 256", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0 && n < BATCH) {
		old[n].id = pm_db_int(q, 0);
		old[n++].processes = pm_db_int(q, 1);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : n;
}

/* Retire a job; of a large job only as much as is possible by a time, and mark the rest. Returns 0
 * or -1 with e filled. */
static int retire_one(struct pm_retire *r, const struct old *old, int64_t until_us,
		      struct pm_err *e)
{
	int rc = pm_erase_part(r->db, old->id, r->keep_summary, until_us, &r->days, e);

	if ((rc == 2 || (rc > 0 && r->keep_summary)) && mark_retired(r->db, old->id, e) < 0)
		rc = -1;
	if (rc < 0)
		return pm_err_prefix(e, "job #%lld", (long long)old->id);
	if (rc < 2) {
		r->jobs++;
		r->processes += old->processes;
	}
	return 0;
}

/* Retire jobs in one transaction. Returns 1, 0 if nothing was left to do, or -1 with e filled. */
static int retire_some(struct pm_retire *r, struct pm_err *e)
{
	int64_t until = pm_now_monotonic_us() + PM_RETIRE_WORK_US, jobs = r->jobs,
		processes = r->processes;
	struct old old[BATCH];
	int rc, n;

	if (pm_db_begin(r->db, e) < 0)
		return -1;
	rc = n = find_oldest(r, old, e);
	for (int i = 0; rc >= 0 && i < n && (i == 0 || pm_now_monotonic_us() < until); i++)
		rc = retire_one(r, &old[i], until, e);
	if (rc >= 0)
		rc = pm_userdays_apply(&r->days, r->db, e);
	if (rc >= 0)
		rc = pm_db_commit(r->db, e);
	if (rc >= 0)
		return n > 0;
	pm_userdays_free(&r->days);
	pm_db_rollback(r->db);
	r->jobs = jobs;
	r->processes = processes;
	return -1;
}

void pm_retire_pause(const struct pm_retire *r)
{
	const struct timespec pause = { .tv_nsec = PM_RETIRE_PAUSE_US * 1000 };

	pm_info("%lld jobs so far", (long long)r->jobs);
	nanosleep(&pause, NULL);
}

static int retire_all(struct pm_retire *r, struct pm_err *e)
{
	int rc;

	while ((rc = retire_some(r, e)) > 0)
		pm_retire_pause(r);
	return rc;
}

/* The age from the command line or the settings, us. Returns 0 or an exit status with e filled. */
static int find_age(const struct pm_cli *cli, int64_t *age, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_older_than];
	const char *name = given ? "--older-than" : "retire_after";
	const char *text = given ? given : pm_config_get(PM_SET_retire_after);
	size_t len = strlen(text);

	if (given && pm_duration_parse(given, age, e) < 0) {
		pm_err_prefix(e, "--older-than");
		return PM_EXIT_USAGE;
	}
	if (!given)
		*age = pm_config_int(PM_SET_retire_after);
	/* A user who writes 90 means days; as seconds, as in other settings, it would be every job.
	 */
	if (*age > 0 && !isalpha((unsigned char)text[len - 1])) {
		pm_err(e, "%s %s: a unit is needed, as in %sd or %sh", name, text, text, text);
		return PM_EXIT_USAGE;
	}
	if (*age > 0)
		return PM_EXIT_OK;
	if (given)
		pm_err(e, "--older-than %s: this would delete every job; use perfmon drop for that",
		       given);
	else
		pm_err(e, "retire: set the age with --older-than, as 90d, or with the setting "
			  "retire_after");
	return PM_EXIT_USAGE;
}

static void print_result(const struct pm_retire *r, bool dry)
{
	char text[32];
	time_t before = (time_t)(r->before_us / 1000000);
	struct tm tm;

	if (pm_log_level < 0)
		return;
	localtime_r(&before, &tm);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm);
	pm_terminal_print(stdout, "%s%s %lld job%s with %lld process%s%s%s, ended before %s%s\n",
			  dry ? "would " : "",
			  r->to ? dry ? "move" : "moved"
			  : dry ? "retire"
				: "retired",
			  (long long)r->jobs, r->jobs == 1 ? "" : "s", (long long)r->processes,
			  r->processes == 1 ? "" : "es", r->to ? " to " : "", r->to ? r->to : "",
			  text, r->keep_summary ? "; summaries are kept" : "");
}

/* Delete or move the jobs, or count them. Returns 0 or -1 with e filled. */
static int retire_jobs(struct pm_retire *r, bool dry, struct pm_err *e)
{
	if (r->to)
		return pm_retire_move(r, dry, e);
	return dry ? count_old(r, e) : retire_all(r, e);
}

int pm_verb_retire(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_retire r = { .keep_summary = cli->given[PM_OPT_keep_summary],
			       .to = cli->value[PM_OPT_to] };
	bool dry = cli->given[PM_OPT_dry_run];
	int64_t age = 0;
	int status, rc;

	if (cli->argc > 0) {
		pm_err(e, "retire: takes no operands; perfmon delete deletes single jobs");
		return PM_EXIT_USAGE;
	}
	if (r.to && !*r.to) {
		pm_err(e, "retire: --to needs the name of a directory");
		return PM_EXIT_USAGE;
	}
	status = find_age(cli, &age, e);
	if (status != PM_EXIT_OK)
		return status;
	r.before_us = pm_now_us() - age;
	if (pm_db_open(&r.db, pm_config_get(PM_SET_db), dry ? PM_DB_READ : PM_DB_CHANGE, e) < 0)
		return PM_EXIT_FAILED;
	rc = retire_jobs(&r, dry, e);
	if (rc == 0 || (r.jobs > 0 && !dry))
		print_result(&r, dry);
	if (rc == 0 && !dry && cli->given[PM_OPT_vacuum])
		rc = pm_db_compact(r.db, e);
	if (rc < 0)
		pm_err_prefix(e, "retire from database %s", pm_db_name(r.db));
	pm_db_close(r.db);
	return rc < 0 || r.left > 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
