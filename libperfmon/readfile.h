/* Reading a file of /proc. */
#ifndef PM_READFILE_H
#define PM_READFILE_H

#include <stddef.h>

/*
 * Read the beginning of a file into buf. What it read counts as the collector's own input.
 * Returns the bytes read, or -1.
 */
long pm_readfile(const char *path, char *buf, size_t cap);

#endif
