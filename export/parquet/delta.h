/* Parquet's DELTA_BINARY_PACKED: integers by their differences, in as few bits as a block needs. */
#ifndef PM_EXPORT_PARQUET_DELTA_H
#define PM_EXPORT_PARQUET_DELTA_H

#include "common/bytes.h"

/* Add n > 0 integers, given as eight bytes each, the low ones first. */
void pm_delta_add(struct pm_bytes *out, const unsigned char *p, size_t n);

#endif
