/* The arguments of the program as a list field. */
#ifndef PM_LIBPERFMON_RECORD_ARGUMENTS_H
#define PM_LIBPERFMON_RECORD_ARGUMENTS_H

#include "common/safe/buf.h"
#include "libperfmon/base/settings.h"

/* Longest list in escaped bytes, whatever PERFMON_ARGS_MAX says. */
#define PM_ARGUMENTS_MAX (48 * 1024)

/* Room for the marker at the end of a truncated list: blank, \+, a number, colon, 16 digits, and
 * one byte to spare. */
#define PM_ARGUMENTS_MARKER_MAX (5 + PM_BUF_NUMBER_MAX + 16)

/* Longest list without PERFMON_ARGS_MAX. */
#define PM_ARGUMENTS_DEFAULT (32 * 1024)

/*
 * Append argv[1..argc-1] as PERFMON_ARGS asks: full, redacted (without the secrets that
 * pm_secrets_argument finds; the default), name (the first argument, redacted), none. A list that
 * does not fit PERFMON_ARGS_MAX ends in the marker item \+<length of all arguments, NULs
 * included>:<FNV-1a 64>. Returns the bytes appended; if not even the marker fits, 0 with
 * b->truncated set.
 */
size_t pm_arguments_render(struct pm_buf *b, const struct pm_settings *s, int argc,
			   char *const *argv);

#endif
