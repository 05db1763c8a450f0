/* The arguments of the program as a list field. */
#ifndef PM_ARGUMENTS_H
#define PM_ARGUMENTS_H

#include "common/buf.h"
#include "libperfmon/settings.h"

/* Longest list in escaped bytes, whatever PERFMON_ARGS_MAX says. */
#define PM_ARGUMENTS_MAX (48 * 1024)

/* Room that the marker of a list that was cut takes beyond it: blank, \+, a number, colon, 16
 * digits, and one more than fits. */
#define PM_ARGUMENTS_MARKER_MAX (5 + PM_BUF_NUMBER_MAX + 16)

/* Without PERFMON_ARGS_MAX. */
#define PM_ARGUMENTS_DEFAULT (32 * 1024)

/*
 * Append argv[1..argc-1] as PERFMON_ARGS asks: full, redacted (without what
 * pm_secrets_argument finds; so without PERFMON_ARGS), name (the first of these), none. A list that does not fit
 * PERFMON_ARGS_MAX ends in the marker item \+<length of all arguments, NULs included>:<FNV-1a 64>.
 * Returns the bytes appended; where not even the marker fits, 0 with b->truncated set.
 */
size_t pm_arguments_render(struct pm_buf *b, const struct pm_settings *s, int argc,
			   char *const *argv);

#endif
