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

#endif
