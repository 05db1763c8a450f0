/* Appending to the record file: open, one write, close. */
#ifndef PM_EMIT_H
#define PM_EMIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Append n bytes that begin with a newline and end with one; the header line goes in front
 * where they are the first of the file. `start`: it is the record of an image's start, which may be
 * kept back (fold.h). Opens the file for this write alone: no descriptor stays behind
 * that the program could see. On failure (no directory, full disk, file size limit, no descriptor)
 * the lines are lost and counted (lost.h), and nothing else happens; the program gets no
 * signal. Async-signal-safe.
 */
void pm_emit(const char *data, size_t n, bool start);

#endif
