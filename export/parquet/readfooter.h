/* What the end of a Parquet file says of it, read back: whether it is complete, and its rows. */
#ifndef PM_EXPORT_PARQUET_READFOOTER_H
#define PM_EXPORT_PARQUET_READFOOTER_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Read the number of rows of an open regular file, which the row groups have to have together, and
 * the value of a key of its metadata, "" where it has none or it does not fit. Whatever the file
 * has, a few kilobytes of memory are used. Returns 1; 0 with the reason in e if it is no complete
 * Parquet file; -1 with e filled if it cannot be read.
 */
int pm_parquet_readfooter(int fd, const char *key, int64_t *rows, char *value, size_t size,
			  struct pm_err *e);

#endif
