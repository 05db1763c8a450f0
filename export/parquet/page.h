/* Pages of a column chunk: a header and a compressed body, in memory until their row group is
 * written. */
#ifndef PM_EXPORT_PARQUET_PAGE_H
#define PM_EXPORT_PARQUET_PAGE_H

#include "common/bytes.h"
#include "export/parquet/compress.h"
#include "export/parquet/format.h"

struct pm_parquet_page {
	struct pm_parquet_page *next;
	size_t raw;    /* bytes with its header, the body not compressed */
	size_t packed; /* bytes with its header: those below */
	unsigned char p[];
};

/* What pages are made with, one after another. */
struct pm_parquet_press {
	struct pm_compress *compress;
	struct pm_bytes body; /* of the page that is being made, not compressed */
	struct pm_bytes packed;
};

/* Returns 0 or -1: out of memory. */
int pm_parquet_press_init(struct pm_parquet_press *w);
void pm_parquet_press_free(struct pm_parquet_press *w);

/*
 * Make a page of the body, and empty the body. `values` includes NULLs. Returns the page, which is
 * freed by free(3); NULL if out of memory.
 */
struct pm_parquet_page *pm_parquet_page_make(struct pm_parquet_press *w,
					     enum pm_parquet_page_type type, size_t values,
					     enum pm_parquet_encoding encoding);

#endif
