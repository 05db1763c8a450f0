/* perfmon verify: check that the data of jobs in the database is consistent. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "common/text.h"
#include "db/userdays.h"
#include "manage/jobs.h"
#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "submit/rows/verify.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of faults shown per job and check without --limit: one cause makes thousands. */
#define SHOWN 20

struct run {
	const char *job; /* name of the job being checked; NULL: none */
	json_t *list;    /* with --json */
	const char *check;
	int64_t of_check, limit; /* faults of the check, how many of them are shown */
	int64_t faults;
};

static void print_safe(const char *text)
{
	char s[512];

	pm_text_safe(s, sizeof s, text, strlen(text), false);
	fputs(s, stdout);
}

static void end_check(struct run *r)
{
	if (r->of_check > r->limit && !r->list)
		pm_terminal_print(stdout, "%s%s: %lld more in check %s\n", r->job ? "job " : "",
				  r->job ? r->job : "database", (long long)(r->of_check - r->limit),
				  r->check);
	r->of_check = 0;
	r->check = "";
}

static int print_fault(void *ctx, const struct pm_verify_fault *f, struct pm_err *e)
{
	struct run *r = ctx;

	r->faults++;
	if (strcmp(r->check, f->check) != 0)
		end_check(r);
	r->check = f->check;
	if (r->of_check++ >= r->limit)
		return 0;
	if (r->list)
		return json_array_append_new(r->list,
					     json_pack("{s:I, s:s, s:o, s:o, s:o}", "job",
						       (json_int_t)f->job, "check", f->check,
						       "what", pm_values_safe(f->what), "stored",
						       pm_values_safe(f->stored), "expected",
						       pm_values_safe(f->expected))) < 0
			       ? pm_err(e, "out of memory")
			       : 0;
	if (r->job)
		pm_terminal_print(stdout, "job %s: ", r->job);
	else if (f->job)
		printf("job #%lld, which is missing: ", (long long)f->job);
	print_safe(f->what);
	fputs(": ", stdout);
	print_safe(f->stored);
	fputs("; expected: ", stdout);
	print_safe(f->expected);
	putchar('\n');
	return 0;
}

static int verify_jobs(struct run *r, struct pm_db *db, const struct pm_jobs *jobs,
		       struct pm_err *e)
{
	struct pm_jobs_one one;

	for (size_t i = 0; i < jobs->n; i++) {
		int rc = pm_jobs_read(&one, db, jobs->id[i], e);

		r->job = one.name;
		if (rc > 0)
			rc = pm_verify_job(db, one.id, print_fault, r, e);
		if (rc < 0)
			return pm_err_prefix(e, "job #%lld", (long long)jobs->id[i]);
		end_check(r);
		pm_info("job %s: checked", one.name);
	}
	r->job = NULL;
	return 0;
}

static int print_json(const struct run *r, struct pm_db *db, size_t jobs, struct pm_err *e)
{
	json_t *all = json_pack("{s:o, s:I, s:I, s:O}", "database", pm_values_safe(pm_db_name(db)),
				"jobs", (json_int_t)jobs, "faults", (json_int_t)r->faults, "list",
				r->list);
	int rc = all && json_dumpf(all, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) == 0 &&
				 putchar('\n') != EOF
			 ? 0
			 : pm_err(e, "write: %m");

	json_decref(all);
	return rc;
}

/* Compute the totals of users by day anew. Returns 0 or -1 with e filled. */
static int repair_days(struct pm_db *db, struct pm_err *e)
{
	if (pm_db_begin(db, e) < 0)
		return -1;
	if (pm_userdays_renew(db, e) == 0 && pm_db_commit(db, e) == 0)
		return 0;
	pm_db_rollback(db);
	return -1;
}

int pm_verb_verify(const struct pm_cli *cli, struct pm_err *e)
{
	bool some = cli->argc > 0 || cli->value[PM_OPT_job] || pm_jobwords_given(cli),
	     recompute = cli->given[PM_OPT_recompute];
	struct run r = { .check = "" };
	struct pm_jobs jobs = { 0 };
	struct pm_db *db = NULL;
	int rc, status = PM_EXIT_OK;

	if (pm_options_limit(cli, SHOWN, &r.limit, e) < 0)
		return PM_EXIT_USAGE;
	if (cli->given[PM_OPT_json] && !(r.list = json_array())) {
		pm_err(e, "out of memory");
		return PM_EXIT_FAILED;
	}
	rc = pm_db_open(&db, pm_config_get(PM_SET_db), recompute ? PM_DB_CHANGE : PM_DB_READ, e);
	if (rc == 0 && recompute) {
		rc = repair_days(db, e);
		pm_db_close(db);
		db = NULL;
		/* To see one state of it while others load. */
		if (rc == 0)
			rc = pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e);
	}
	if (rc == 0 && !some) {
		rc = pm_verify_database(db, print_fault, &r, e);
		end_check(&r);
	}
	if (rc == 0) {
		status = pm_jobs_find(&jobs, db, cli, 0, e);
		rc = status == PM_EXIT_OK ? 0 : -1;
	}
	if (rc == 0)
		rc = verify_jobs(&r, db, &jobs, e);
	if (rc == 0 && r.list)
		rc = print_json(&r, db, jobs.n, e);
	else if (rc == 0 && pm_log_level >= 0)
		pm_terminal_print(stdout, "%s: %zu job%s checked, %lld fault%s\n", pm_db_name(db),
				  jobs.n, jobs.n == 1 ? "" : "s", (long long)r.faults,
				  r.faults == 1 ? "" : "s");
	if (rc == 0)
		rc = pm_options_flush(e);
	json_decref(r.list);
	pm_jobs_free(&jobs);
	pm_db_close(db);
	if (status != PM_EXIT_OK)
		return status;
	return rc < 0 || r.faults > 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
