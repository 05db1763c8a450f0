/* Parse the command line by the tables options.def, config.def and verbs.def. */
#ifndef PM_WRAPPER_CLI_CLI_H
#define PM_WRAPPER_CLI_CLI_H

#include "common/cli/verb.h"

/* What to do after parsing. */
enum pm_cli_action {
	PM_CLI_RUN,     /* call the verb */
	PM_CLI_HELP,    /* --help: print help on cli->verb, PM_VERBS: on perfmon */
	PM_CLI_VERSION, /* --version */
};

/*
 * Parse the command line. Options stand before or after the verb; those of `run` end at its
 * command or at "--". A first operand that is not a verb but names a program is short for
 * `-a run PROGRAM`. Sets pm_log_level, and calls pm_config_set for settings. cli->argv is
 * NULL-terminated and points into argv, whose order may change.
 * Returns an enum pm_cli_action, or -1 with e filled: a usage error.
 */
int pm_cli_parse(struct pm_cli *cli, int argc, char **argv, struct pm_err *e);

/* Print help on a verb to standard output; PM_VERBS: on perfmon. */
void pm_help_print(enum pm_verb verb);

/* Size of a buffer that holds the help of any option. */
#define PM_HELP_MAX 1024

/* Copy the clauses of an option's help that are about the verb or about all verbs to `text`, which
 * is cut to size - 1 bytes. PM_VERBS: about perfmon as a whole. */
void pm_help_clauses(enum pm_verb verb, const char *help, char *text, size_t size);

/* Find the verb of this name; PM_VERBS: there is none. */
enum pm_verb pm_cli_find_verb(const char *name);

/* Find the verb that is spelled most like this word, for "did you mean"; NULL: none is near. */
const char *pm_cli_meant(const char *name);

/* Like pm_cli_parse, but allocates no memory, and so ignores settings given as options. */
int pm_cli_parse_short(struct pm_cli *cli, int argc, char **argv);

#endif
