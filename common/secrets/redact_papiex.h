/*
 * Redact lines of papiex's files (perfmon-foreign(5)) whose column names are known: the arguments,
 * which are one text there, are redacted by the rules of their program. Programs only.
 */
#ifndef PM_COMMON_SECRETS_REDACT_PAPIEX_H
#define PM_COMMON_SECRETS_REDACT_PAPIEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Field numbers of the columns in a file. All zero: unknown. */
struct pm_redact_papiex {
	size_t fields;
	size_t args, exename, tags;
};

/*
 * Redact a line without its newline. A line of column names is remembered in *x; for TSV, whose
 * names may be in another file, papiex's own columns are the default. Returns 1 with *out the new
 * line of *len bytes, which the caller frees (it differs if *count > 0); 0 where the columns are
 * unknown; -1 if out of memory.
 */
int pm_redact_papiex_line(struct pm_redact_papiex *x, bool csv, const char *line, size_t n,
			  char **out, size_t *len, int64_t *count);

#endif
