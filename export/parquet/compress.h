/*
 * Compression of a page at once: zstd, else gzip, else none, as the build allows.
 */
#ifndef PM_EXPORT_PARQUET_COMPRESS_H
#define PM_EXPORT_PARQUET_COMPRESS_H

#include "common/bytes.h"

struct pm_compress;

/* Begin. Returns what pm_compress_free frees, or NULL if out of memory. */
struct pm_compress *pm_compress_new(void);
void pm_compress_free(struct pm_compress *c);

/* Append n bytes, compressed by themselves. Returns 0, or -1: out of memory. */
int pm_compress_add(struct pm_compress *c, struct pm_bytes *out, const void *p, size_t n);

/* The codec's number in Parquet's metadata. */
int pm_compress_codec(void);

#endif
