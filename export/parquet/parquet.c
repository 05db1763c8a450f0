/* Tables as Parquet files, written row by row. */
#include "config.h"

#include "export/parquet/parquet.h"

#include "export/parquet/chunk.h"
#include "export/parquet/footer.h"
#include "common/utf8.h"

#include <stdlib.h>

/* Memory that the columns of a row group have before it is written; a row of the same size, and
 * what a dictionary grows by at once, come on top. */
#define MOST_HELD ((size_t)10 << 20)

/* Rows of a row group, so that readers can share the work where columns pack well. */
#define MOST_ROWS ((size_t)1 << 20)

#define MOST_TEXT ((size_t)1 << 30)

struct pm_parquet {
	FILE *f;
	const struct pm_parquet_column *column;
	size_t n;
	struct pm_parquet_store store;
	struct pm_parquet_footer footer;
	struct pm_bytes text; /* one that is made valid UTF-8 */
	size_t rows;          /* complete ones of this row group */
	int64_t offset;       /* bytes written */
	bool failed;
	struct pm_err err; /* why */
	struct pm_parquet_chunk chunk[];
};

/* Where a failure is told: the first one is kept. */
static struct pm_err *failure(struct pm_parquet *p)
{
	bool first = !p->failed;

	p->failed = true;
	return first ? &p->err : NULL;
}

static void put(struct pm_parquet *p, const void *bytes, size_t n)
{
	if (!p->failed && fwrite(bytes, 1, n, p->f) != n)
		pm_err(failure(p), "write: %m");
	p->offset += (int64_t)n;
}

struct pm_parquet *pm_parquet_new(FILE *f, const struct pm_parquet_column *column, size_t n,
				  struct pm_err *e)
{
	struct pm_parquet *p = calloc(1, sizeof *p + n * sizeof p->chunk[0]);

	if (!p || pm_parquet_store_init(&p->store, n) < 0) {
		free(p);
		pm_err(e, "out of memory");
		return NULL;
	}
	p->f = f;
	p->column = column;
	p->n = n;
	for (size_t i = 0; i < n; i++)
		pm_parquet_chunk_init(&p->chunk[i], column[i].type);
	put(p, "PAR1", 4);
	return p;
}

void pm_parquet_free(struct pm_parquet *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		pm_parquet_chunk_reset(&p->chunk[i], &p->store);
	pm_parquet_store_free(&p->store);
	pm_parquet_footer_free(&p->footer);
	pm_bytes_free(&p->text);
	free(p);
}

void pm_parquet_note(struct pm_parquet *p, const char *key, const char *value)
{
	pm_parquet_footer_note(&p->footer, key, value);
}

/* The column for a value of this row. NULL if it may not get one. */
static struct pm_parquet_chunk *chunk_for(struct pm_parquet *p, size_t column,
					  enum pm_parquet_type type)
{
	struct pm_parquet_chunk *c;

	if (column >= p->n) {
		pm_err(failure(p), "there is no column %zu", column);
		return NULL;
	}
	c = &p->chunk[column];
	if (c->type == type && c->rows <= p->rows && !p->failed)
		return c;
	pm_err(failure(p), "column %s: %s", p->column[column].name,
	       c->type != type ? "a value of another type" : "a second value in one row");
	return NULL;
}

void pm_parquet_int(struct pm_parquet *p, size_t column, int64_t v)
{
	struct pm_parquet_chunk *c = chunk_for(p, column, PM_PARQUET_INT);

	if (c)
		pm_parquet_chunk_number(c, &p->store, p->rows, (uint64_t)v);
}

void pm_parquet_real(struct pm_parquet *p, size_t column, double v)
{
	struct pm_parquet_chunk *c = chunk_for(p, column, PM_PARQUET_REAL);
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	if (c)
		pm_parquet_chunk_number(c, &p->store, p->rows, bits);
}

static void add_text(struct pm_parquet *p, struct pm_parquet_chunk *c, const void *text, size_t n)
{
	if (n > MOST_TEXT)
		pm_err(failure(p), "column %s: a value of %zu bytes is too long for Parquet",
		       p->column[c - p->chunk].name, n);
	else
		pm_parquet_chunk_text(c, &p->store, p->rows, text, n);
}

void pm_parquet_text(struct pm_parquet *p, size_t column, const char *text, size_t length)
{
	struct pm_parquet_chunk *c = chunk_for(p, column, PM_PARQUET_TEXT);

	if (!c)
		return;
	if (pm_utf8_valid(text, length) == length) {
		add_text(p, c, text, length);
		return;
	}
	pm_utf8_add(&p->text, text, length);
	p->store.failed |= p->text.failed;
	if (!p->text.failed)
		add_text(p, c, p->text.p, p->text.n);
	/* Such texts are rare: no memory is kept for the next one. */
	pm_bytes_free(&p->text);
}

/* What has failed so far. Returns 0, or -1 with e filled. */
static int state(struct pm_parquet *p, struct pm_err *e)
{
	if (p->store.failed)
		pm_err(failure(p), "out of memory");
	return p->failed ? pm_err(e, "%s", p->err.text) : 0;
}

static void write_group(struct pm_parquet *p)
{
	struct pm_err e;

	pm_parquet_footer_begin_group(&p->footer, p->n);
	for (size_t i = 0; i < p->n && !p->store.failed; i++) {
		struct pm_parquet_chunk *c = &p->chunk[i];

		pm_parquet_chunk_finish(c, &p->store, p->rows);
		if (p->store.failed)
			break;
		pm_parquet_footer_add_chunk(&p->footer, &p->column[i], c, p->offset);
		for (const struct pm_parquet_page *page = c->page; page; page = page->next)
			put(p, page->p, page->packed);
		pm_parquet_chunk_reset(c, &p->store);
	}
	if (pm_parquet_footer_end_group(&p->footer, (int64_t)p->rows, &e) < 0)
		pm_err(failure(p), "%s", e.text);
	p->rows = 0;
}

int pm_parquet_row(struct pm_parquet *p, struct pm_err *e)
{
	p->rows++;
	if (!p->failed && (p->store.held > MOST_HELD || p->rows == MOST_ROWS))
		write_group(p);
	return state(p, e);
}

int pm_parquet_finish(struct pm_parquet *p, struct pm_err *e)
{
	struct pm_err why;

	for (size_t i = 0; i < p->n; i++)
		if (p->chunk[i].rows > p->rows)
			pm_err(failure(p), "column %s: a value of a row that has no end",
			       p->column[i].name);
	if (!p->failed && p->rows > 0)
		write_group(p);
	if (state(p, e) < 0)
		return -1;
	if (pm_parquet_footer_write(&p->footer, p->f, p->column, p->n, &why) < 0)
		pm_err(failure(p), "%s", why.text);
	else if (fflush(p->f) != 0)
		pm_err(failure(p), "write: %m");
	return state(p, e);
}
