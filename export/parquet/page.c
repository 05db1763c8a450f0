/* Pages of a column chunk. */
#include "config.h"

#include "export/parquet/page.h"

#include "export/parquet/thrift.h"

#include <stdlib.h>

/* Memory for a body that is kept for the next page. */
#define KEPT ((size_t)256 << 10)

/* Fields of PageHeader. */
enum { TYPE = 1, UNCOMPRESSED_SIZE, COMPRESSED_SIZE, DATA_PAGE_HEADER = 5, DICTIONARY_HEADER = 7 };

/* Fields of DataPageHeader; the first two are those of DictionaryPageHeader, too. */
enum { NUM_VALUES = 1, ENCODING, DEFINITION_ENCODING, REPETITION_ENCODING };

int pm_parquet_press_init(struct pm_parquet_press *w)
{
	*w = (struct pm_parquet_press){ .compress = pm_compress_new() };
	return w->compress ? 0 : -1;
}

void pm_parquet_press_free(struct pm_parquet_press *w)
{
	pm_compress_free(w->compress);
	pm_bytes_free(&w->body);
	pm_bytes_free(&w->packed);
}

/* Make room for the next page; what a large value took is given back. */
static void empty(struct pm_bytes *b)
{
	b->n = 0;
	if (b->room > KEPT)
		pm_bytes_free(b);
}

static void write_header(struct pm_bytes *out, enum pm_parquet_page_type type, size_t raw,
			 size_t packed, size_t values, enum pm_parquet_encoding encoding)
{
	struct pm_thrift t;

	pm_thrift_begin(&t, out);
	pm_thrift_i32(&t, TYPE, (int32_t)type);
	pm_thrift_i32(&t, UNCOMPRESSED_SIZE, (int32_t)raw);
	pm_thrift_i32(&t, COMPRESSED_SIZE, (int32_t)packed);
	pm_thrift_struct(&t, type == PM_PARQUET_DATA_PAGE ? DATA_PAGE_HEADER : DICTIONARY_HEADER);
	pm_thrift_i32(&t, NUM_VALUES, (int32_t)values);
	pm_thrift_i32(&t, ENCODING, (int32_t)encoding);
	if (type == PM_PARQUET_DATA_PAGE) {
		pm_thrift_i32(&t, DEFINITION_ENCODING, PM_PARQUET_RLE);
		pm_thrift_i32(&t, REPETITION_ENCODING, PM_PARQUET_RLE);
	}
	pm_thrift_end(&t);
	pm_thrift_end(&t);
}

struct pm_parquet_page *pm_parquet_page_make(struct pm_parquet_press *w,
					     enum pm_parquet_page_type type, size_t values,
					     enum pm_parquet_encoding encoding)
{
	struct pm_parquet_page *page = NULL;
	struct pm_bytes header = { .p = NULL };

	if (w->body.failed || pm_compress_add(w->compress, &w->packed, w->body.p, w->body.n) < 0)
		goto out;
	write_header(&header, type, w->body.n, w->packed.n, values, encoding);
	page = header.failed ? NULL : malloc(sizeof *page + header.n + w->packed.n);
	if (!page)
		goto out;
	page->next = NULL;
	page->raw = header.n + w->body.n;
	page->packed = header.n + w->packed.n;
	memcpy(page->p, header.p, header.n);
	memcpy(page->p + header.n, w->packed.p, w->packed.n);
out:
	pm_bytes_free(&header);
	empty(&w->body);
	empty(&w->packed);
	return page;
}
