/* Compression of requests by gzip. */
#ifndef PM_EXPORT_BULK_GZIP_H
#define PM_EXPORT_BULK_GZIP_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether perfmon was built with zlib. */
bool pm_gzip_has(void);

/* Append n bytes as one file of gzip. Returns 0, or -1: out of memory. */
int pm_gzip_add(struct pm_bytes *to, const void *p, size_t n);

#endif
