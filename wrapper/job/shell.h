/* Which shell evaluates what `source` prints. */
#ifndef PM_WRAPPER_SHELL_H
#define PM_WRAPPER_SHELL_H

#include "common/err.h"
#include "wrapper/quote.h"

#include <stdbool.h>

struct pm_shell_found {
	enum pm_shell family;
	bool is_bash; /* bash, under whatever name it runs */
};

/*
 * Find the shell that called us: the nearest of our ancestors whose executable is a shell's, since
 * time(1), nice(1) and the like may stand between. $SHELL is only what the user logs in with, and
 * the name of a script's process is the script's. Where there is none, a POSIX shell is assumed.
 */
void pm_shell_detect(struct pm_shell_found *found);

/* The family of the shell of this name or path: sh, csh and fish stand for theirs. Returns 0, or -1
 * with e filled. */
int pm_shell_named(const char *name, struct pm_shell_found *found, struct pm_err *e);

#endif
