/* The command line: options.def, config.def and verbs.def applied to argv. */
#ifndef PM_WRAPPER_CLI_H
#define PM_WRAPPER_CLI_H

#include "common/verb.h"

/* What parsing said to do. */
enum pm_cli_action {
	PM_CLI_RUN,     /* call the verb */
	PM_CLI_HELP,    /* --help: of cli->verb, or of perfmon where verb is PM_VERBS */
	PM_CLI_VERSION, /* --version */
};

/*
 * Parse the command line. Options stand before or behind the verb; those of `run` end at its
 * command or at "--". A first operand that is no verb but names a program is short for
 * `-a run PROGRAM`. Sets pm_log_level; settings go to pm_config_set. cli->argv points into argv,
 * whose order may change; it is NULL-terminated.
 * Returns an enum pm_cli_action, or -1 with e filled: a usage error.
 */
int pm_cli_parse(struct pm_cli *cli, int argc, char **argv, struct pm_err *e);

/* Print help to standard output: of a verb, or of perfmon for PM_VERBS. */
void pm_help_print(enum pm_verb verb);

/* The verb of this name, or PM_VERBS. */
enum pm_verb pm_cli_find_verb(const char *name);

/* The same without allocating memory: settings given as options are left out. */
int pm_cli_parse_short(struct pm_cli *cli, int argc, char **argv);

#endif
