/* perfmon migrate: upgrade a database to the current schema version. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/migrate.h"
#include "manage/migrate_check.h"

#include <stdio.h>

struct told {
	bool dry;
	int steps;
};

static void print_step(void *ctx, const struct pm_migrate_step *s)
{
	struct told *t = ctx;

	t->steps++;
	if (t->dry || pm_log_level > 0)
		printf("version %d to %d: %s\n", s->from, s->from + 1, s->about);
}

int pm_verb_migrate(const struct pm_cli *cli, struct pm_err *e)
{
	struct told told = { .dry = cli->given[PM_OPT_dry_run] };
	struct pm_db *db = NULL;
	const bool check = cli->given[PM_OPT_check], json = cli->given[PM_OPT_json];
	enum pm_db_mode mode = told.dry || check ? PM_DB_LOOK : PM_DB_MIGRATE;
	int from, rc;

	if (cli->argc > 0) {
		pm_err(e, "migrate: takes no operands; --db names the database");
		return PM_EXIT_USAGE;
	}
	if (json && !check) {
		pm_err(e, "migrate: --json goes with --check");
		return PM_EXIT_USAGE;
	}
	if (pm_db_open(&db, pm_config_get(PM_SET_db), mode, e) < 0)
		return PM_EXIT_FAILED;
	if (check) {
		rc = pm_migrate_check(db, pm_config_get(PM_SET_db), json, e);
		pm_db_close(db);
		/* What stands in the way has been told. */
		return rc == 0 ? PM_EXIT_OK : PM_EXIT_FAILED;
	}
	from = pm_migrate_run(db, told.dry, print_step, &told, e);
	if (from >= 0 && pm_log_level >= 0) {
		pm_terminal_print(stdout, "database %s: ", pm_db_name(db));
		if (told.steps == 0)
			printf("schema version %d is current: nothing to do\n", from);
		else
			printf("schema version %d %s to %d\n", from,
			       told.dry ? "would be upgraded" : "was upgraded", from + told.steps);
	}
	pm_db_close(db);
	return from < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
