/* A column of the row group that is being gathered. */
#include "config.h"

#include "export/parquet/chunk.h"

#include "export/parquet/delta.h"

#include <endian.h>
#include <stdlib.h>

/* Memory for the values of pages that are being gathered, and the bytes of each: the more columns
 * there are, the less. */
#define ALL_PAGES  ((size_t)4 << 20)
#define LEAST_PAGE ((size_t)1 << 10)
#define MOST_PAGE  ((size_t)64 << 10)

/* Bounds of a dictionary, so that those of many columns fit into the memory of a row group. Numbers
 * have small ones: beyond them their differences take less room. */
#define MOST_NUMBERS 4096
#define MOST_TEXTS   32768
#define MOST_BYTES   ((size_t)256 << 10)

/* Distinct values of a first page, in percent, with which a dictionary still pays. */
#define MOST_DISTINCT 75

bool pm_parquet_chunk_has_dictionary(const struct pm_parquet_chunk *c)
{
	return c->pages[PM_PARQUET_DICTIONARY] > 0;
}

int pm_parquet_store_init(struct pm_parquet_store *s, size_t n)
{
	*s = (struct pm_parquet_store){ .page = MOST_PAGE };
	while (s->page > LEAST_PAGE && s->page * n > ALL_PAGES)
		s->page /= 2;
	return pm_parquet_press_init(&s->press);
}

void pm_parquet_store_free(struct pm_parquet_store *s)
{
	pm_parquet_press_free(&s->press);
	pm_bytes_free(&s->index);
}

static bool is_number(enum pm_parquet_type type)
{
	return type == PM_PARQUET_INT || type == PM_PARQUET_REAL;
}

void pm_parquet_chunk_init(struct pm_parquet_chunk *c, enum pm_parquet_type type)
{
	*c = (struct pm_parquet_chunk){ .type = type };
	pm_hybrid_begin(&c->level, &c->levels, 1);
	pm_dictionary_init(&c->dictionary, is_number(type) ? MOST_NUMBERS : MOST_TEXTS, MOST_BYTES);
}

/* Have the store count the memory that the column has now besides its pages. */
static void account(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	size_t held = c->raw.room + c->levels.room + pm_dictionary_memory(&c->dictionary);

	s->held += held - c->held;
	c->held = held;
}

static void add_page(struct pm_parquet_chunk *c, struct pm_parquet_store *s,
		     struct pm_parquet_page *page)
{
	if (!page) {
		s->failed = true;
		return;
	}
	*(c->page ? &c->last->next : &c->page) = page;
	c->last = page;
	s->held += sizeof *page + page->packed;
}

static uint32_t text_length(const unsigned char *p)
{
	uint32_t little;

	memcpy(&little, p, sizeof little);
	return le32toh(little);
}

/* Numbers of the dictionary's entries for the page's values, into the store. Returns false where
 * there is no room for all. Bounds learn of new texts. */
static bool look_up(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	struct pm_dictionary *d = &c->dictionary;
	bool number = is_number(c->type);
	const unsigned char *p = c->raw.p;
	uint32_t *index;

	s->index.n = 0;
	if (!pm_bytes_room(&s->index, c->values * sizeof *index))
		return false;
	index = (uint32_t *)(void *)s->index.p;
	for (size_t i = 0; i < c->values; i++) {
		uint32_t n = number ? 0 : text_length(p), before = d->n;

		index[i] = number ? pm_dictionary_number(d, p) : pm_dictionary_text(d, p + 4, n);
		if (index[i] == PM_DICTIONARY_FULL)
			return false;
		if (!number && d->n > before)
			pm_parquet_bounds_text(&c->bounds, p + 4, n);
		p += number ? 8 : 4 + (size_t)n;
	}
	return true;
}

/* Put the page's values into the body as numbers of the dictionary's entries. Returns false where
 * the dictionary has no room for them or does not pay: then it gets no further ones. */
static bool add_entries(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	struct pm_dictionary *d = &c->dictionary;
	struct pm_bytes *body = &s->press.body;
	uint32_t before = d->n;
	const uint32_t *index;
	struct pm_hybrid h;

	if (c->undictionary)
		return false;
	if (!look_up(c, s) || (!before && (size_t)d->n * 100 > c->values * MOST_DISTINCT)) {
		pm_dictionary_close(d, before);
		c->undictionary = true;
		return false;
	}
	index = (const uint32_t *)(const void *)s->index.p;
	pm_hybrid_begin(&h, body, pm_hybrid_width(d->n - 1));
	pm_bytes_byte(body, h.width);
	for (size_t i = 0; i < c->values; i++)
		pm_hybrid_add(&h, index[i], 1);
	pm_hybrid_end(&h);
	return true;
}

static void add_texts_to_bounds(struct pm_parquet_chunk *c)
{
	const unsigned char *p = c->raw.p;

	for (size_t i = 0; i < c->values; i++) {
		uint32_t n = text_length(p);

		pm_parquet_bounds_text(&c->bounds, p + 4, n);
		p += 4 + (size_t)n;
	}
}

/* Put the page's values into the body. Returns their encoding. */
static enum pm_parquet_encoding add_values(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	struct pm_bytes *body = &s->press.body;

	if (c->values == 0)
		return PM_PARQUET_PLAIN;
	if (c->type == PM_PARQUET_INT)
		pm_parquet_bounds_ints(&c->bounds, c->raw.p, c->values);
	else if (c->type == PM_PARQUET_REAL)
		pm_parquet_bounds_reals(&c->bounds, c->raw.p, c->values);
	if (add_entries(c, s))
		return PM_PARQUET_DICTIONARY;
	if (c->type == PM_PARQUET_INT) {
		pm_delta_add(body, c->raw.p, c->values);
		return PM_PARQUET_DELTA;
	}
	if (!is_number(c->type))
		add_texts_to_bounds(c);
	pm_bytes_add(body, c->raw.p, c->raw.n);
	return PM_PARQUET_PLAIN;
}

static void write_levels(struct pm_parquet_chunk *c)
{
	if (c->present > 0)
		pm_hybrid_add(&c->level, 1, c->present);
	c->present = 0;
}

/* Make a page of the values gathered. */
static void end_page(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	struct pm_bytes *body = &s->press.body;
	enum pm_parquet_encoding encoding;

	write_levels(c);
	pm_hybrid_end(&c->level);
	pm_bytes_little(body, c->levels.n, 4);
	pm_bytes_add(body, c->levels.p, c->levels.n);
	encoding = add_values(c, s);
	s->failed |= c->levels.failed || c->raw.failed;
	add_page(c, s,
		 pm_parquet_page_make(&s->press, PM_PARQUET_DATA_PAGE, c->rows - c->page_begin,
				      encoding));
	c->pages[encoding]++;
	c->page_begin = c->rows;
	c->levels.n = c->raw.n = c->values = 0;
	pm_hybrid_begin(&c->level, &c->levels, 1);
	if (c->raw.room > s->page)
		pm_bytes_free(&c->raw);
	account(c, s);
}

/* The rows up to this one have no value. */
static void add_nulls(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row)
{
	write_levels(c);
	pm_hybrid_add(&c->level, 0, row - c->rows);
	c->nulls += row - c->rows;
	c->rows = row;
	account(c, s);
}

/* Begin a value of so many bytes where one of those before it ends: rows without a value were
 * between, or the page is full. Returns false if out of memory. */
static bool begin_after(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			size_t size)
{
	if (row > c->rows)
		add_nulls(c, s, row);
	if (c->raw.n + size > s->page && c->values > 0)
		end_page(c, s);
	if (c->raw.room - c->raw.n >= size)
		return true;
	s->failed |= !pm_bytes_room(&c->raw, size > s->page ? size : s->page);
	account(c, s);
	return !s->failed;
}

/* Room is that of a page, or less: what is larger was freed. */
static bool begin_value(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			size_t size)
{
	return (row == c->rows && c->raw.room - c->raw.n >= size) || begin_after(c, s, row, size);
}

static void end_value(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	c->values++;
	c->present++;
	c->rows++;
	/* What is larger than a page does not wait for more. */
	if (c->raw.n > s->page)
		end_page(c, s);
}

void pm_parquet_chunk_number(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			     uint64_t bits)
{
	if (!begin_value(c, s, row, sizeof bits))
		return;
	pm_bytes_little(&c->raw, bits, sizeof bits);
	end_value(c, s);
}

void pm_parquet_chunk_text(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			   const void *p, size_t n)
{
	if (!begin_value(c, s, row, 4 + n))
		return;
	pm_bytes_little(&c->raw, n, 4);
	pm_bytes_add(&c->raw, p, n);
	end_value(c, s);
}

void pm_parquet_chunk_finish(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t rows)
{
	struct pm_parquet_page *page;

	if (rows > c->rows)
		add_nulls(c, s, rows);
	if (c->rows > c->page_begin)
		end_page(c, s);
	if (!pm_parquet_chunk_has_dictionary(c))
		return;
	pm_bytes_add(&s->press.body, c->dictionary.plain.p, c->dictionary.plain.n);
	page = pm_parquet_page_make(&s->press, PM_PARQUET_DICTIONARY_PAGE, c->dictionary.n,
				    PM_PARQUET_PLAIN);
	if (!page) {
		s->failed = true;
		return;
	}
	page->next = c->page;
	c->page = page;
	s->held += sizeof *page + page->packed;
}

void pm_parquet_chunk_reset(struct pm_parquet_chunk *c, struct pm_parquet_store *s)
{
	struct pm_parquet_page *next;

	for (struct pm_parquet_page *page = c->page; page; page = next) {
		next = page->next;
		s->held -= sizeof *page + page->packed;
		free(page);
	}
	pm_dictionary_reset(&c->dictionary);
	pm_bytes_free(&c->raw);
	pm_bytes_free(&c->levels);
	account(c, s);
	pm_parquet_chunk_init(c, c->type);
}
