/* Reading a file of /proc. */
#ifndef PM_READFILE_H
#define PM_READFILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Read the beginning of a file into buf. What it read counts as the collector's own input.
 * Returns the bytes read, or -1.
 */
long pm_readfile(const char *path, char *buf, size_t cap);

/* The same, and `dev` gets the device that the file is on, 0 unknown. */
long pm_readfile_of(const char *path, char *buf, size_t cap, uint64_t *dev);

/*
 * Read a whole file by pieces. `take` gets each with the unfinished line of the one before in front
 * of it, and returns 0 when it has seen enough; a line that is longer than buf is lost.
 */
void pm_readfile_lines(const char *path, char *buf, size_t cap,
		       int (*take)(const char *text, size_t n, void *ctx), void *ctx);

#endif
