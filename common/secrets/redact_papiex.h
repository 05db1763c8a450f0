/*
 * Redact lines of papiex's files (perfmon-foreign(5)), where the names of their columns are known:
 * arguments, which stand in one text there, by the rules of their program. Programs only.
 */
#ifndef PM_REDACT_PAPIEX_H
#define PM_REDACT_PAPIEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which fields of a line these are, by their number; those of a file. Zero: nothing is known. */
struct pm_redact_papiex {
	size_t fields;
	size_t args, exename, tags;
};

/*
 * Redact a line without its newline, and remember it where it is one of names; of TSV, whose names
 * may be in another file, papiex's own are known. Returns 1 with *out the new line, to be freed, of
 * *len bytes, where *count > 0 says that it is another; 0 where its columns are not known; -1
 * without memory.
 */
int pm_redact_papiex_line(struct pm_redact_papiex *x, bool csv, const char *line, size_t n,
			  char **out, size_t *len, int64_t *count);

#endif
