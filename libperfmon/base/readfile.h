/* Read a file of /proc. */
#ifndef PM_LIBPERFMON_BASE_READFILE_H
#define PM_LIBPERFMON_BASE_READFILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Read the beginning of a file into buf. The bytes count as the collector's own input. Returns the
 * bytes read, or -1.
 */
long pm_readfile(const char *path, char *buf, size_t cap);

/* Like pm_readfile; `dev` gets the device that the file is on, 0 unknown. */
long pm_readfile_of(const char *path, char *buf, size_t cap, uint64_t *dev);

/*
 * Read a whole file in pieces. `take` gets each piece, with the unfinished line of the piece before
 * in front, and returns 0 to stop. A line that is longer than buf is lost.
 */
void pm_readfile_lines(const char *path, char *buf, size_t cap,
		       int (*take)(const char *text, size_t n, void *ctx), void *ctx);

#endif
