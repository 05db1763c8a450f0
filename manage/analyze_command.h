/* Run the command of the setting analyze_command. */
#ifndef PM_MANAGE_ANALYZE_COMMAND_H
#define PM_MANAGE_ANALYZE_COMMAND_H

#include "common/err.h"

#include <stdint.h>

/*
 * Run a shell command with arguments, $1 and so on, NULL at the end, and a text on its standard
 * input; wait for its end, and kill it with its process group after limit_us. Returns 0, or -1 with
 * e filled: it could not be run, did not end with status 0, or was killed.
 */
int pm_analyze_command(const char *command, const char *const *args, const char *input,
		       int64_t limit_us, struct pm_err *e);

#endif
