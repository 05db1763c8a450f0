/* perfmon drop: empty the database. */
#include "config.h"

#include "common/cli/ask.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/erase.h"

#include <stdio.h>

/* Number of jobs in the database, or -1 with e filled. */
static int64_t count_jobs(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n = -1;

	if (pm_db_prepare(db, "SELECT count(*) FROM job", &q, e) < 0)
		return -1;
	if (pm_db_step(q, e) > 0)
		n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

int pm_verb_drop(const struct pm_cli *cli, struct pm_err *e)
{
	bool dry = cli->given[PM_OPT_dry_run];
	int status = PM_EXIT_FAILED;
	struct pm_db *db = NULL;
	char question[512];
	int64_t jobs;

	if (cli->argc > 0) {
		pm_err(e, "drop: takes no operands; --db names the database, and perfmon delete "
			  "deletes single jobs");
		return PM_EXIT_USAGE;
	}
	if (pm_db_open(&db, pm_config_get(PM_SET_db), dry ? PM_DB_READ : PM_DB_CHANGE, e) < 0)
		return PM_EXIT_FAILED;
	jobs = count_jobs(db, e);
	if (jobs < 0)
		goto out;
	if (dry) {
		pm_terminal_print(stdout, "would empty database %s: %lld job%s\n", pm_db_name(db),
				  (long long)jobs, jobs == 1 ? "" : "s");
		status = PM_EXIT_OK;
		goto out;
	}
	snprintf(question, sizeof question,
		 "All of database %s, %lld job%s, will be deleted for good. Go on?", pm_db_name(db),
		 (long long)jobs, jobs == 1 ? "" : "s");
	status = pm_ask(cli, question, e);
	if (status != PM_EXIT_OK)
		goto out;
	status = PM_EXIT_FAILED;
	if (pm_erase_all(db, e) < 0 || pm_db_compact(db, e) < 0) {
		pm_err_prefix(e, "database %s", pm_db_name(db));
		goto out;
	}
	if (pm_log_level >= 0)
		pm_terminal_print(stdout, "database %s is empty: %lld job%s deleted\n",
				  pm_db_name(db), (long long)jobs, jobs == 1 ? "" : "s");
	status = PM_EXIT_OK;
out:
	pm_db_close(db);
	return status;
}
