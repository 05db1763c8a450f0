/* Ask the user for confirmation before an action that cannot be undone. Programs only. */
#ifndef PM_COMMON_CLI_ASK_H
#define PM_COMMON_CLI_ASK_H

#include "common/cli/verb.h"

/*
 * Ask for confirmation: --force confirms; otherwise the user at the terminal is asked `question`,
 * and a line "yes" or "y" confirms. Returns PM_EXIT_OK if confirmed; else the exit status with e
 * filled: PM_EXIT_FAILED for any other answer, PM_EXIT_USAGE without a terminal.
 */
int pm_ask(const struct pm_cli *cli, const char *question, struct pm_err *e);

#endif
