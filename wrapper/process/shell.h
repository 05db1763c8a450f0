/* Find the shell that evaluates the output of `perfmon source`. */
#ifndef PM_WRAPPER_PROCESS_SHELL_H
#define PM_WRAPPER_PROCESS_SHELL_H

#include "common/err.h"
#include "wrapper/process/quote.h"

#include <stdbool.h>

struct pm_shell_found {
	enum pm_shell family;
	bool is_bash; /* bash or rbash, also with a version in its name */
};

/*
 * Find the shell that called us: our nearest ancestor whose executable is a shell, since time(1),
 * nice(1) and the like may stand between. $SHELL is only the login shell, and the process of a
 * script has the script's name. Without such an ancestor, assume a POSIX shell.
 */
void pm_shell_detect(struct pm_shell_found *found);

/* Get the family of the shell of this name or path. Returns 0, or -1 with e filled: unknown shell.
 */
int pm_shell_named(const char *name, struct pm_shell_found *found, struct pm_err *e);

#endif
