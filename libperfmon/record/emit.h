/* Appending to the record file: open, one write, close. */
#ifndef PM_LIBPERFMON_RECORD_EMIT_H
#define PM_LIBPERFMON_RECORD_EMIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Append n bytes that begin with a newline and end with one, after the header line in an empty
 * file. `start`: the bytes are an image's start record, which may be kept back (sizelimit.h). Opens
 * the file for this write alone: no descriptor stays behind that the program could see. On failure
 * (no directory, full disk, file size limit, no descriptor) the lines are lost and counted
 * (lost.h), and nothing else happens; the program gets no signal. Async-signal-safe.
 */
void pm_emit(const char *data, size_t n, bool start);

#endif
