/* perfmon schema: print the database schema. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/version.h"

#include "sql/schema.h"

#include <string.h>

int pm_verb_schema(const struct pm_cli *cli, struct pm_err *e)
{
	const char *name = cli->value[PM_OPT_dialect];
	enum pm_dialect dialect = PM_DIALECT_SQLITE;
	bool man = false;

	if (cli->argc > 0) {
		pm_err(e, "schema: takes no operands");
		return PM_EXIT_USAGE;
	}
	if (name && strcmp(name, "postgresql") == 0) {
		dialect = PM_DIALECT_POSTGRESQL;
	} else if (name && strcmp(name, "man") == 0) {
		man = true; /* for the generated part of perfmon-schema(5) */
	} else if (name && strcmp(name, "sqlite") != 0) {
		pm_err(e, "schema: unknown dialect %s: sqlite or postgresql", name);
		return PM_EXIT_USAGE;
	}
	if ((man ? pm_schema_write_man(stdout) : pm_schema_write(dialect, stdout)) < 0 ||
	    fflush(stdout) != 0) {
		pm_err(e, "schema: write: %m");
		return PM_EXIT_FAILED;
	}
	return PM_EXIT_OK;
}

void pm_version_schema(struct pm_version *v)
{
	pm_version_set(v, "%d", PM_SCHEMA_VERSION);
}
