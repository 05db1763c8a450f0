/* perfmon retire: delete jobs that have been kept for the required time. */
#include "config.h"

#include "manage/retire.h"

#include "common/cli/verb.h"
#include "common/grow.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/erase.h"
#include "manage/jobs.h"
#include "report/jobwords.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With EXISTS, PostgreSQL may read the tables of all jobs into a hash. */
#define HAS_SUCH(table, p, such)                                                                   \
	"(SELECT 1 FROM " table " " p " WHERE " p ".job_id = j.id" such " LIMIT 1) = 1"
#define HAS(table, p) HAS_SUCH(table, p, "")
/* Of a large job, parts of which are deleted: the tags of its processes go after these. */
#define HAS_DETAIL                                                                                 \
	HAS("process", "p")                                                                        \
	" OR " HAS("series", "s") " OR " HAS("content", "c") " OR " HAS_SUCH("tag_set", "g",       \
									     " AND g.id > 0")

/* What is done to jobs by what stays of them. */
static const struct tier {
	const char *has;  /* SQL condition: there is something left to do */
	const char *note; /* what problems of the job says then, or until the rest is deleted */
	const char *kept; /* what the result says */
} tiers[] = {
	[PM_SCHEMA_NOTHING] = { " AND NOT " PM_SCHEMA_JOB_IN_MODEL, PM_ERASE_NOTE_PROCESSES, "" },
	[PM_SCHEMA_SUMMARY] = { " AND (" HAS_DETAIL " OR " HAS("program_summary", "y") ")",
				PM_ERASE_NOTE_PROCESSES, "; summaries are kept" },
	[PM_SCHEMA_PROGRAMS] = { " AND (" HAS_DETAIL ")", PM_ERASE_NOTE_PROCESSES,
				 "; summaries and programs are kept" },
	[PM_SCHEMA_PROCESSES] = { " AND (" HAS("sample_block", "b") " OR " HAS("tick_block",
									       "t") ")",
				  PM_ERASE_NOTE_SAMPLES, "" },
};

struct old {
	int64_t id, processes, end_us;
};

int pm_retire_finish(const struct pm_retire *r, struct pm_stmt *q, int rc, struct pm_err *e)
{
	if (rc < 0 && r->where)
		pm_jobwords_explain(r->db, "jobs", e);
	pm_db_finish(q);
	pm_db_unguard(r->db);
	return rc;
}

/* Prepare a query with the filter. A user's condition is in queries alone, never in what deletes.
 * Returns 0 or -1 with e filled. */
static int prepare(const struct pm_retire *r, const char *sql, struct pm_stmt **q, struct pm_err *e)
{
	if (r->where && pm_jobwords_guard(r->db, e) < 0)
		return -1;
	return pm_db_prepare(r->db, sql, q, e) < 0 ? pm_retire_finish(r, NULL, -1, e) : 0;
}

int pm_retire_prepare(const struct pm_retire *r, const char *what, bool ordered, struct pm_stmt **q,
		      struct pm_err *e)
{
	const struct pm_jobfilter *f = r->filter;
	char *sql, order[128] = "";
	int rc;

	if (ordered)
		snprintf(order, sizeof order,
			 " ORDER BY " PM_SCHEMA_JOB_END("j.") ", j.id LIMIT %d", PM_RETIRE_BATCH);
	if (asprintf(&sql,
		     "SELECT %s FROM job j WHERE " PM_SCHEMA_JOB_END(
			     "j.") " < ? AND " PM_SCHEMA_JOB_END("j.") " >= ? AND "
								       "(" PM_SCHEMA_JOB_END(
									       "j.") " > ? OR j.id "
										     "> "
										     "?)%s%s%s%s%s",
		     what, tiers[r->keep].has, f ? " AND j.id IN (SELECT id FROM job" : "",
		     f ? f->where : "", f ? ")" : "", order) < 0)
		return pm_err(e, "out of memory");
	rc = prepare(r, sql, q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(*q, 1, r->before_us);
	pm_db_bind_int(*q, 2, r->end_us);
	pm_db_bind_int(*q, 3, r->end_us);
	pm_db_bind_int(*q, 4, r->id);
	if (f)
		pm_jobfilter_bind(f, *q, 5);
	return 0;
}

/* Count the jobs to retire. Returns 0 or -1. */
static int count_old(struct pm_retire *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_retire_prepare(r, "count(*), coalesce(sum(j.processes), 0)", false, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		r->jobs = pm_db_int(q, 0);
		r->processes = pm_db_int(q, 1);
	}
	return pm_retire_finish(r, q, rc, e) < 0 ? -1 : 0;
}

/* Say that a job would be retired, and count it. Returns 0 or -1 with e filled. */
static int tell_job(struct pm_retire *r, int64_t id, struct pm_err *e)
{
	struct pm_jobs_one one;

	if (pm_jobs_read(&one, r->db, id, e) < 0)
		return -1;
	r->jobs++;
	r->processes += one.processes;
	if (pm_log_level >= 0)
		pm_terminal_print(stdout, "would retire job %s with %lld process%s\n", one.name,
				  (long long)one.processes, one.processes == 1 ? "" : "es");
	return 0;
}

/* Say which jobs would be retired, and count them. Returns 0 or -1 with e filled. */
static int tell_old(struct pm_retire *r, struct pm_err *e)
{
	size_t n = 0, room = 0;
	int64_t *id = NULL;
	struct pm_stmt *q;
	int rc;

	if (pm_retire_prepare(r, "j.id", false, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!PM_GROW(id, n, room, 64)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		id[n++] = pm_db_int(q, 0);
	}
	rc = pm_retire_finish(r, q, rc, e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = tell_job(r, id[i], e);
	free(id);
	return rc;
}

/* Find the oldest jobs. Returns how many, or -1 with e filled. */
static int find_oldest(struct pm_retire *r, struct old *old, struct pm_err *e)
{
	struct pm_stmt *q;
	int n = 0, rc;

	if (pm_retire_prepare(r, "j.id, coalesce(j.processes, 0), " PM_SCHEMA_JOB_END("j."), true,
			      &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0 && n < PM_RETIRE_BATCH)
		old[n++] = (struct old){ pm_db_int(q, 0), pm_db_int(q, 1), pm_db_int(q, 2) };
	return pm_retire_finish(r, q, rc, e) < 0 ? -1 : n;
}

#define IS_OLD "SELECT 1 FROM job j WHERE j.id = ? AND " PM_SCHEMA_JOB_END("j.") " < ?"

/* Whether a job, which may have been loaded further since it was found, is still to be retired, and
 * stays so until the transaction ends. Returns 1, 0 or -1 with e filled. */
static int is_old(struct pm_retire *r, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_erase_lock(r->db, job, e);

	if (rc <= 0)
		return rc;
	/* Or a model may have been made of it. */
	if (pm_db_prepare(r->db, r->keep ? IS_OLD : IS_OLD " AND NOT " PM_SCHEMA_JOB_IN_MODEL, &q,
			  e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, r->before_us);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* Retire a job; of a large job only as much as is possible by a time, and mark the rest. Returns 0
 * or -1 with e filled. */
static int retire_one(struct pm_retire *r, const struct old *old, int64_t until_us,
		      struct pm_err *e)
{
	int rc = is_old(r, old->id, e);

	if (rc > 0)
		rc = pm_erase_part(r->db, old->id, r->keep, until_us, &r->days, e);
	if ((rc == 2 || (rc > 0 && r->keep)) &&
	    pm_erase_note(r->db, old->id, tiers[r->keep].note, e) < 0)
		rc = -1;
	if (rc < 0)
		return pm_err_prefix(e, "job #%lld", (long long)old->id);
	if (rc < 2) {
		r->jobs += rc;
		r->processes += rc ? old->processes : 0;
		r->end_us = old->end_us;
		r->id = old->id;
	}
	return 0;
}

/* Retire jobs in one transaction. They are found before it, since that passes all jobs of which
 * nothing is left to delete. Returns 1, 0 if nothing was left to do, or -1 with e filled. */
static int retire_some(struct pm_retire *r, struct pm_err *e)
{
	int64_t until = pm_now_monotonic_us() + PM_RETIRE_WORK_US, jobs = r->jobs,
		processes = r->processes;
	struct old old[PM_RETIRE_BATCH];
	int rc, n;

	rc = n = find_oldest(r, old, e);
	if (n <= 0)
		return n;
	if (pm_db_begin(r->db, e) < 0)
		return -1;
	for (int i = 0; rc >= 0 && i < n && (i == 0 || pm_now_monotonic_us() < until); i++)
		rc = retire_one(r, &old[i], until, e);
	if (rc >= 0)
		rc = pm_userdays_apply(&r->days, r->db, e);
	if (rc >= 0)
		rc = pm_db_commit(r->db, e);
	if (rc >= 0)
		return 1;
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

/* Retire whole ranges of jobs, where the database has such. Returns 0 or -1 with e filled. */
static int retire_ranges(struct pm_retire *r, struct pm_err *e)
{
	struct pm_erase_ranges all = { .keep = r->keep,
				       .from_us = PM_RETIRE_EPOCH,
				       .before_us = r->before_us,
				       .note = tiers[r->keep].note,
				       .after = INT64_MIN };
	int rc;

	while ((rc = pm_erase_range(r->db, &all, e)) > 0) {
		r->jobs += all.jobs;
		r->processes += all.processes;
		pm_retire_pause(r);
	}
	return rc;
}

static int retire_all(struct pm_retire *r, struct pm_err *e)
{
	/* A range has jobs that the filter leaves. */
	int rc = r->keep < PM_SCHEMA_PROCESSES && !r->filter ? retire_ranges(r, e) : 0;

	while (rc >= 0 && (rc = retire_some(r, e)) > 0)
		pm_retire_pause(r);
	return rc;
}

/* Parse an age, us. Returns 0 or an exit status with e filled. */
static int parse_age(const char *name, const char *text, int64_t *age, struct pm_err *e)
{
	size_t len = strlen(text);

	if (pm_duration_parse(text, age, e) < 0) {
		pm_err_prefix(e, "%s", name);
		return PM_EXIT_USAGE;
	}
	/* A user who writes 90 means days; as seconds, as in other settings, it would be every job.
	 */
	if (*age > 0 && !isalpha((unsigned char)text[len - 1])) {
		pm_err(e, "%s %s: a unit is needed, as in %sd or %sh", name, text, text, text);
		return PM_EXIT_USAGE;
	}
	return PM_EXIT_OK;
}

/* The age of the jobs to retire, us; 0: none. Returns 0 or an exit status with e filled. */
static int find_age(const struct pm_cli *cli, int64_t *age, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_older_than];
	const char *text = given ? given : pm_config_get(PM_SET_retire_after);
	int status = parse_age(given ? "--older-than" : "retire_after", text, age, e);

	if (status != PM_EXIT_OK || *age > 0)
		return status;
	if (given)
		pm_err(e, "--older-than %s: this would delete every job; use perfmon drop for that",
		       given);
	else if (cli->value[PM_OPT_samples_older_than])
		return PM_EXIT_OK;
	else
		pm_err(e, "retire: set the age with --older-than, as 90d, or with the setting "
			  "retire_after");
	return PM_EXIT_USAGE;
}

/* The age of the samples to delete, us; 0: none. Returns 0 or an exit status with e filled. */
static int find_samples_age(const struct pm_cli *cli, int64_t *age, struct pm_err *e)
{
	const char *text = cli->value[PM_OPT_samples_older_than];
	int status = text ? parse_age("--samples-older-than", text, age, e) : PM_EXIT_OK;

	if (status != PM_EXIT_OK || !text || *age > 0)
		return status;
	pm_err(e, "--samples-older-than %s: this would delete every sample; the least is 1s", text);
	return PM_EXIT_USAGE;
}

/* What stays of the jobs. Returns 0 or an exit status with e filled. */
static int find_keep(const struct pm_cli *cli, enum pm_schema_keep *keep, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_keep];
	static const struct {
		const char *name;
		enum pm_schema_keep keep;
	} known[] = { { "summary", PM_SCHEMA_SUMMARY },
		      { "programs", PM_SCHEMA_PROGRAMS },
		      { "all", PM_SCHEMA_ALL } };

	*keep = cli->given[PM_OPT_keep_summary] ? PM_SCHEMA_PROGRAMS : PM_SCHEMA_NOTHING;
	if (!given)
		return PM_EXIT_OK;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(given, known[i].name) == 0) {
			if (cli->given[PM_OPT_keep_summary] && known[i].keep != *keep) {
				pm_err(e, "retire: --keep %s contradicts --keep-summary", given);
				return PM_EXIT_USAGE;
			}
			*keep = known[i].keep;
			return PM_EXIT_OK;
		}
	pm_err(e, "--keep %s: it is summary, programs or all", given);
	return PM_EXIT_USAGE;
}

static void print_result(const struct pm_retire *r, bool dry)
{
	const char *done = r->keep == PM_SCHEMA_PROCESSES
				   ? dry ? "delete the samples of" : "deleted the samples of"
			   : r->to ? dry ? "move" : "moved"
			   : dry   ? "retire"
				   : "retired";
	char text[32];
	time_t before = (time_t)(r->before_us / 1000000);
	struct tm tm;

	if (pm_log_level < 0)
		return;
	localtime_r(&before, &tm);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm);
	pm_terminal_print(stdout, "%s%s %lld job%s with %lld process%s%s%s, ended before %s%s\n",
			  dry ? "would " : "", done, (long long)r->jobs, r->jobs == 1 ? "" : "s",
			  (long long)r->processes, r->processes == 1 ? "" : "es",
			  r->to ? " to " : "", r->to ? r->to : "", text, tiers[r->keep].kept);
}

/* Delete or move the jobs, or count them, and say so. Returns 0 or -1 with e filled. */
static int retire_jobs(struct pm_retire *r, bool dry, struct pm_err *e)
{
	int rc = r->to              ? pm_retire_move(r, dry, e)
		 : dry && r->filter ? tell_old(r, e)
		 : dry              ? count_old(r, e)
				    : retire_all(r, e);

	if (rc == 0 || (r->jobs > 0 && !dry))
		print_result(r, dry);
	return rc;
}

/* Check that the options fit together. Returns 0 or an exit status with e filled. */
static int check_usage(const struct pm_cli *cli, struct pm_err *e)
{
	const char *to = cli->value[PM_OPT_to], *keep = cli->value[PM_OPT_keep];

	if (cli->argc > 0)
		pm_err(e, "retire: takes no operands; perfmon delete deletes single jobs");
	else if (to && !*to)
		pm_err(e, "retire: --to needs the name of a directory");
	else if (!to && cli->given[PM_OPT_parquet])
		pm_err(e, "retire: --parquet writes files beside archives: it needs --to");
	else if (to && cli->value[PM_OPT_samples_older_than])
		pm_err(e, "retire: --samples-older-than deletes samples for good and --to moves "
			  "jobs with theirs: call retire once for each");
	else if (keep && strcmp(keep, "all") == 0 &&
		 (cli->value[PM_OPT_older_than] || !cli->value[PM_OPT_samples_older_than]))
		pm_err(e, "retire: --keep all leaves nothing to do but --samples-older-than");
	else
		return PM_EXIT_OK;
	return PM_EXIT_USAGE;
}

/* Tell of jobs that stay since they are in models. Returns 0 or -1 with e filled. */
static int tell_of_models(const struct pm_retire *r, struct pm_err *e)
{
	const struct pm_jobfilter *f = r->filter;
	struct pm_stmt *q;
	char *sql;
	int rc;

	if (asprintf(
		    &sql,
		    "SELECT count(*) FROM job j WHERE " PM_SCHEMA_JOB_END(
			    "j.") " < ? AND " PM_SCHEMA_JOB_END("j.") " >= ? AND j.id IN (SELECT "
								      "m.job_id FROM model o CROSS "
								      "JOIN model_job m WHERE "
								      "m.model = o.name)%s%s%s",
		    f ? " AND j.id IN (SELECT id FROM job" : "", f ? f->where : "",
		    f ? ")" : "") < 0)
		return pm_err(e, "out of memory");
	rc = prepare(r, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, r->before_us);
	pm_db_bind_int(q, 2, PM_RETIRE_EPOCH);
	if (f)
		pm_jobfilter_bind(f, q, 3);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_int(q, 0) > 0 && pm_log_level >= 0)
		printf("left alone, since models were made of them: %lld job%s; --keep summary "
		       "thins them\n",
		       (long long)pm_db_int(q, 0), pm_db_int(q, 0) == 1 ? "" : "s");
	return pm_retire_finish(r, q, rc, e) < 0 ? -1 : 0;
}

/* Tell of jobs that are never retired. Returns 0 or -1 with e filled. */
static int tell_ageless(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT count(*) FROM job WHERE " PM_SCHEMA_JOB_END("") " < ?", &q,
			  e) < 0)
		return -1;
	pm_db_bind_int(q, 1, PM_RETIRE_EPOCH);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_int(q, 0) > 0)
		pm_info("%lld jobs stay, since they ended before 2000 by their records, which is "
			"not so; perfmon delete deletes them",
			(long long)pm_db_int(q, 0));
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_verb_retire(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_retire jobs = { PM_RETIRE_START, .to = cli->value[PM_OPT_to],
				  .parquet = cli->given[PM_OPT_parquet] };
	struct pm_retire samples = { PM_RETIRE_START, .keep = PM_SCHEMA_PROCESSES };
	const char *where = cli->value[PM_OPT_where];
	bool dry = cli->given[PM_OPT_dry_run];
	struct pm_jobfilter_words words;
	struct pm_jobfilter filter = { .where = NULL };
	int64_t age = 0, samples_age = 0;
	int status = check_usage(cli, e), rc = 0;
	struct pm_db *db;

	if (status == PM_EXIT_OK)
		status = find_keep(cli, &jobs.keep, e);
	if (status == PM_EXIT_OK && jobs.keep != PM_SCHEMA_ALL)
		status = find_age(cli, &age, e);
	if (status == PM_EXIT_OK)
		status = find_samples_age(cli, &samples_age, e);
	if (status == PM_EXIT_OK && pm_jobwords_check(cli, e) < 0)
		status = PM_EXIT_USAGE;
	if (status != PM_EXIT_OK)
		return status;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), dry ? PM_DB_READ : PM_DB_CHANGE, e) < 0)
		return PM_EXIT_FAILED;
	jobs.db = samples.db = db;
	jobs.before_us = pm_now_us() - age;
	samples.before_us = pm_now_us() - samples_age;
	if (pm_jobwords_given(cli)) {
		pm_jobwords_take(cli, &words);
		status = pm_jobwords_filter(&words, db, &filter, e);
		if (status == PM_EXIT_OK && where)
			rc = pm_jobfilter_add(&filter, where, NULL, e);
		jobs.filter = samples.filter = &filter;
		jobs.where = samples.where = where != NULL;
	}
	if (status == PM_EXIT_OK && rc == 0)
		rc = tell_ageless(db, e);
	if (status == PM_EXIT_OK && rc == 0 && age > 0 && jobs.keep == PM_SCHEMA_NOTHING)
		rc = tell_of_models(&jobs, e);
	if (status == PM_EXIT_OK && rc == 0 && age > 0)
		rc = retire_jobs(&jobs, dry, e);
	if (status == PM_EXIT_OK && rc == 0 && samples_age > 0)
		rc = retire_jobs(&samples, dry, e);
	if (status == PM_EXIT_OK && rc == 0 && !dry && cli->given[PM_OPT_vacuum])
		rc = pm_db_compact(db, e);
	pm_jobfilter_free(&filter);
	if (rc < 0)
		pm_err_prefix(e, "retire from database %s", pm_db_name(db));
	pm_db_close(db);
	if (status != PM_EXIT_OK)
		return status;
	if (jobs.busy)
		return PM_EXIT_AGAIN;
	return rc < 0 || jobs.left > 0 || jobs.stale > 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
