/* Asking the user before what cannot be undone. Programs only. */
#ifndef PM_ASK_H
#define PM_ASK_H

#include "common/verb.h"

/*
 * Whether to go on: with --force yes; else the user at the terminal is asked `question`, to which a
 * line "yes" or "y" says yes. Returns PM_EXIT_OK for yes; else the exit status with e filled:
 * PM_EXIT_FAILED where the answer was another, PM_EXIT_USAGE where nobody is there to ask.
 */
int pm_ask(const struct pm_cli *cli, const char *question, struct pm_err *e);

#endif
