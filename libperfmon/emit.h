/* Appending to the record file: open, one write, close. */
#ifndef PM_EMIT_H
#define PM_EMIT_H

#include <stddef.h>

enum pm_emit {
	PM_EMIT_PLAIN = 0,
	PM_EMIT_HEADER = 1, /* put the header line in front when the file is empty */
	PM_EMIT_COUNT = 2,  /* the program goes on behind it: count the blocks written */
};

/*
 * Append n bytes that begin with a newline and end with one. Opens the file for this write alone:
 * no descriptor stays behind that the program could see. On failure (no directory, full disk, file
 * size limit, no descriptor) the lines are lost and nothing else happens; the program gets no
 * signal. Async-signal-safe.
 */
void pm_emit(const char *data, size_t n, enum pm_emit flags);

#endif
