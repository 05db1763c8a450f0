/* A small reader of Parquet files. Numbers of fields are those of parquet.thrift. */
#include "config.h"

#include "tests/unit/export/reader.h"

#include "common/safe/tsv.h"
#include "tests/unit/export/thriftread.h"
#include "tests/unit/main.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* What has been read of a column of a row group. */
struct chunk {
	struct reader_column *column;
	struct reader_node *meta;
	struct reader_cell *entry; /* of the dictionary */
	size_t entries;
	size_t row, end; /* rows of the file that the next page has, and where the row group ends */
	size_t pages[9], dictionaries;
};

/* The body of a page, decompressed. */
static const unsigned char *unpack(struct reader *r, int codec, const unsigned char *p, size_t n,
				   size_t size)
{
	unsigned char *out = reader_memory(r, size + 1);

	r->codec = codec;
	if (codec == 0) {
		ck_assert_uint_eq(n, size);
		memcpy(out, p, n);
		return out;
	}
#ifdef HAVE_ZSTD
	if (codec == 6) {
		ck_assert_uint_eq(ZSTD_decompress(out, size, p, n), size);
		return out;
	}
#elif defined(HAVE_ZLIB)
	if (codec == 2) {
		z_stream z = { .next_in = (unsigned char *)(uintptr_t)p,
			       .avail_in = (uInt)n,
			       .next_out = out,
			       .avail_out = (uInt)size + 1 };

		ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
		ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
		ck_assert_uint_eq(z.total_out, size);
		ck_assert_uint_eq(z.avail_in, 0);
		inflateEnd(&z);
		return out;
	}
#endif
	ck_abort_msg("codec %d", codec);
}

static uint64_t little(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static uint64_t bits_at(const unsigned char *p, size_t at, unsigned width)
{
	unsigned got = 8 - at % 8;
	uint64_t v;

	if (width == 0)
		return 0;
	p += at / 8;
	v = *p >> at % 8;
	for (; got < width; got += 8)
		v |= (uint64_t) * ++p << got;
	return width < 64 ? v & ((UINT64_C(1) << width) - 1) : v;
}

/* n values in the hybrid of runs and packed bits. Returns where they end. */
static const unsigned char *read_hybrid(const unsigned char *p, const unsigned char *end,
					unsigned width, uint64_t *v, size_t n)
{
	size_t i = 0;

	while (i < n) {
		uint64_t head = reader_varint(&p, end), count = head >> 1;

		PM_SURE(count > 0);
		if (head & 1) {
			PM_SURE(count * width <= (size_t)(end - p));
			for (size_t k = 0; k < 8 * count; k++, i += i < n)
				if (i < n)
					v[i] = bits_at(p, k * width, width);
			p += count * width;
			continue;
		}
		PM_SURE(count <= n - i && (size_t)(end - p) >= (width + 7) / 8);
		while (count-- > 0)
			v[i++] = little(p, (width + 7) / 8);
		p += (width + 7) / 8;
	}
	return p;
}

static const unsigned char *read_plain(int type, const unsigned char *p, const unsigned char *end,
				       struct reader_cell *cell, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cell[i].known = true;
		if (type != READER_BYTE_ARRAY) {
			PM_SURE(end - p >= 8);
			cell[i].bits = little(p, 8);
			p += 8;
			continue;
		}
		PM_SURE(end - p >= 4);
		cell[i].n = little(p, 4);
		cell[i].p = p + 4;
		PM_SURE((size_t)(end - p - 4) >= cell[i].n);
		p += 4 + cell[i].n;
	}
	return p;
}

static const unsigned char *read_delta(const unsigned char *p, const unsigned char *end,
				       struct reader_cell *cell, size_t n)
{
	size_t block = reader_varint(&p, end), parts = reader_varint(&p, end), i = 1;
	uint64_t v;

	PM_SURE(block % 128 == 0 && parts > 0 && block / parts % 32 == 0);
	PM_SURE(reader_varint(&p, end) == n && n > 0);
	v = (uint64_t)reader_zigzag(&p, end);
	cell[0] = (struct reader_cell){ .known = true, .bits = v };
	while (i < n) {
		uint64_t least = (uint64_t)reader_zigzag(&p, end);
		const unsigned char *width = p;

		PM_SURE((size_t)(end - p) >= parts);
		p += parts;
		for (size_t k = 0; k < parts && i < n; k++) {
			size_t values = block / parts;

			PM_SURE(width[k] <= 64 && (size_t)(end - p) >= values / 8 * width[k]);
			for (size_t j = 0; j < values && i < n; j++) {
				v += least + bits_at(p, j * width[k], width[k]);
				cell[i++] = (struct reader_cell){ .known = true, .bits = v };
			}
			p += values / 8 * width[k];
		}
	}
	return p;
}

/* The numbers of entries, and the entries for them. */
static const unsigned char *read_entries(const struct chunk *c, struct reader *r,
					 const unsigned char *p, const unsigned char *end,
					 struct reader_cell *cell, size_t n)
{
	uint64_t *number = reader_memory(r, n * sizeof *number);
	unsigned width;

	PM_SURE(p < end);
	width = *p++;
	PM_SURE(width >= 1 && width <= 32);
	p = read_hybrid(p, end, width, number, n);
	for (size_t i = 0; i < n; i++) {
		PM_SURE(number[i] < c->entries);
		cell[i] = c->entry[number[i]];
	}
	return p;
}

static void read_data_page(struct reader *r, struct chunk *c, const struct reader_node *head,
			   const unsigned char *p, const unsigned char *end)
{
	size_t rows = (size_t)reader_number(head, 1), values = 0, length;
	int64_t encoding = reader_number(head, 2);
	uint64_t *level = reader_memory(r, rows * sizeof *level);
	struct reader_cell *cell;

	ck_assert_int_eq(reader_number(head, 3), 3);
	ck_assert_int_eq(reader_number(head, 4), 3);
	PM_SURE(rows > 0 && rows <= c->end - c->row && end - p >= 4);
	length = little(p, 4);
	p += 4;
	PM_SURE(length <= (size_t)(end - p));
	PM_SURE(read_hybrid(p, p + length, 1, level, rows) == p + length);
	p += length;
	for (size_t i = 0; i < rows; i++)
		values += level[i];
	cell = reader_memory(r, values * sizeof *cell);
	if (encoding == 8)
		p = read_entries(c, r, p, end, cell, values);
	else if (encoding == 5)
		p = read_delta(p, end, cell, values);
	else
		p = read_plain(c->column->type, p, end, cell, values);
	PM_SURE(encoding == 0 || encoding == 5 || encoding == 8);
	c->pages[encoding]++;
	PM_SURE(p == end);
	for (size_t i = 0; i < rows; i++)
		if (level[i])
			c->column->cell[c->row + i] = *cell++;
	c->row += rows;
}

/* The page at an offset of the file. Returns the offset behind it, and adds up its size. */
static size_t read_page(struct reader *r, struct chunk *c, size_t offset, int64_t *raw)
{
	const unsigned char *p = r->file + offset, *end = r->file + r->size, *body;
	struct reader_node *head = reader_memory(r, sizeof *head), *kind;
	size_t size, packed;

	reader_struct(r, head, &p, end);
	size = (size_t)reader_number(head, 2);
	packed = (size_t)reader_number(head, 3);
	PM_SURE(packed <= (size_t)(end - p));
	*raw += (p - r->file) - (int64_t)offset + (int64_t)size;
	body = unpack(r, (int)reader_number(c->meta, 4), p, packed, size);
	if (reader_number(head, 1) == 2) {
		kind = reader_field(head, 7);
		PM_SURE(kind && c->dictionaries == 0 && c->pages[0] + c->pages[5] == 0);
		ck_assert_int_eq(reader_number(kind, 2), 0);
		ck_assert_int_eq(reader_number(c->meta, 11), (int64_t)offset);
		c->entries = (size_t)reader_number(kind, 1);
		c->entry = reader_memory(r, c->entries * sizeof *c->entry);
		PM_SURE(read_plain(c->column->type, body, body + size, c->entry, c->entries) ==
			body + size);
		c->dictionaries++;
	} else {
		ck_assert_int_eq(reader_number(head, 1), 0);
		kind = reader_field(head, 5);
		PM_SURE(kind);
		if (c->pages[0] + c->pages[5] + c->pages[8] == 0)
			ck_assert_int_eq(reader_number(c->meta, 9), (int64_t)offset);
		read_data_page(r, c, kind, body, body + size);
	}
	return (size_t)(p - r->file) + packed;
}

/* The encodings that the metadata name are those of the pages. */
static void check_encodings(const struct chunk *c)
{
	struct reader_node *list = reader_field(c->meta, 2), *counts = reader_field(c->meta, 13);
	size_t named[9] = { 0 }, counted[9] = { 0 }, dictionaries = 0;

	PM_SURE(list && counts);
	for (struct reader_node *n = list->child; n; n = n->next) {
		PM_SURE(n->number >= 0 && n->number < 9);
		named[n->number]++;
	}
	for (struct reader_node *n = counts->child; n; n = n->next) {
		if (reader_number(n, 1) == 2)
			dictionaries += (size_t)reader_number(n, 3);
		else
			counted[reader_number(n, 2)] += (size_t)reader_number(n, 3);
	}
	ck_assert_uint_eq(dictionaries, c->dictionaries);
	for (size_t i = 0; i < 9; i++) {
		PM_SURE(counted[i] == c->pages[i]);
		PM_SURE(named[i] == (c->pages[i] > 0 || i == 3 || (i == 0 && c->dictionaries > 0)));
		c->column->pages[i] += c->pages[i];
	}
	c->column->dictionaries += c->dictionaries;
}

static double real(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Order of a value and a bound, as the column's order has it. */
static int compare(int type, const struct reader_cell *a, const struct reader_node *b)
{
	if (type == READER_BYTE_ARRAY) {
		size_t n = a->n < b->n ? a->n : b->n;
		int order = n ? memcmp(a->p, b->p, n) : 0;

		return order ? order : (a->n > b->n) - (a->n < b->n);
	}
	PM_SURE(b->n == 8);
	if (type == READER_DOUBLE)
		return (real(a->bits) > real(little(b->p, 8))) -
		       (real(a->bits) < real(little(b->p, 8)));
	return ((int64_t)a->bits > (int64_t)little(b->p, 8)) -
	       ((int64_t)a->bits < (int64_t)little(b->p, 8));
}

static void check_utf8(const unsigned char *p, size_t n)
{
	size_t length;

	for (; n > 0; p += length, n -= length) {
		length = *p < 0x80 ? 1 : pm_tsv_character((const char *)p, n);
		PM_SURE(length > 0);
	}
}

/* Bounds hold for all values, and exact ones are values; NULLs and NaNs are counted. */
static void check_statistics(const struct chunk *c, size_t begin)
{
	struct reader_node *s = reader_field(c->meta, 12), *most, *least;
	bool is_most = false, is_least = false, real_column = c->column->type == READER_DOUBLE;
	int64_t nulls = 0, nans = 0, known = 0;

	PM_SURE(s);
	c->column->statistics = s;
	most = reader_field(s, 5);
	least = reader_field(s, 6);
	for (size_t i = begin; i < c->end; i++) {
		const struct reader_cell *cell = &c->column->cell[i];
		int order;

		nulls += !cell->known;
		if (!cell->known)
			continue;
		known++;
		if (c->column->utf8)
			check_utf8(cell->p, cell->n);
		if (real_column && isnan(real(cell->bits))) {
			nans++;
			continue;
		}
		order = most ? compare(c->column->type, cell, most) : -1;
		PM_SURE(order <= 0);
		is_most |= order == 0;
		order = least ? compare(c->column->type, cell, least) : 1;
		PM_SURE(order >= 0);
		is_least |= order == 0;
	}
	ck_assert_int_eq(reader_number(s, 3), nulls);
	if (real_column)
		ck_assert_int_eq(reader_number(s, 9), nans);
	PM_SURE((known > 0 && nans == 0) == (least != NULL));
	PM_SURE(!most || least);
	if (most)
		PM_SURE(!reader_number(s, 7) || is_most);
	if (least)
		PM_SURE(!reader_number(s, 8) || is_least);
	if (c->column->utf8 && least)
		check_utf8(least->p, least->n);
	if (c->column->utf8 && most)
		check_utf8(most->p, most->n);
	if (real_column && most) {
		PM_SURE(real(little(most->p, 8)) != 0 || !signbit(real(little(most->p, 8))));
		PM_SURE(real(little(least->p, 8)) != 0 || signbit(real(little(least->p, 8))));
	}
}

/* A column of a row group that begins at an offset. Returns where it ends. */
static size_t read_chunk(struct reader *r, struct reader_column *column, struct reader_node *node,
			 size_t begin, size_t rows, size_t offset, int64_t *raw)
{
	struct chunk c = { .column = column, .row = begin, .end = begin + rows };
	size_t first = offset;
	int64_t size = 0;

	ck_assert_int_eq(reader_number(node, 2), 0);
	c.meta = reader_field(node, 3);
	PM_SURE(c.meta);
	ck_assert_int_eq(reader_number(c.meta, 1), column->type);
	PM_SURE(reader_field(c.meta, 3)->children == 1);
	PM_SURE(reader_field(c.meta, 3)->child->n == column->name_length);
	ck_assert_uint_eq((size_t)reader_number(c.meta, 5), rows);
	while (c.row < c.end)
		offset = read_page(r, &c, offset, &size);
	ck_assert_int_eq(reader_number(c.meta, 6), size);
	ck_assert_int_eq(reader_number(c.meta, 7), (int64_t)(offset - first));
	PM_SURE((reader_field(c.meta, 11) != NULL) == (c.dictionaries > 0));
	check_encodings(&c);
	check_statistics(&c, begin);
	*raw += size;
	return offset;
}

static void read_groups(struct reader *r, size_t end)
{
	struct reader_node *groups = reader_field(r->footer, 4);
	size_t offset = 4, row = 0;

	PM_SURE(groups);
	r->groups = groups->children;
	for (struct reader_node *g = groups->child; g; g = g->next) {
		struct reader_node *list = reader_field(g, 1);
		size_t rows = (size_t)reader_number(g, 3), i = 0, first = offset;
		int64_t raw = 0;

		PM_SURE(list && list->children == r->columns && rows > 0);
		ck_assert_int_eq(reader_number(g, 5), (int64_t)offset);
		PM_SURE(rows <= r->rows - row);
		for (struct reader_node *n = list->child; n; n = n->next)
			offset = read_chunk(r, &r->column[i++], n, row, rows, offset, &raw);
		ck_assert_int_eq(reader_number(g, 2), raw);
		ck_assert_int_eq(reader_number(g, 6), (int64_t)(offset - first));
		row += rows;
	}
	ck_assert_uint_eq(row, r->rows);
	ck_assert_uint_eq(offset, end);
}

static void read_schema(struct reader *r)
{
	struct reader_node *schema = reader_field(r->footer, 2), *n, *logical;
	struct reader_column *c;

	PM_SURE(schema && schema->children > 1);
	r->columns = schema->children - 1;
	ck_assert_uint_eq((size_t)reader_number(schema->child, 5), r->columns);
	r->column = c = reader_memory(r, r->columns * sizeof *c);
	for (n = schema->child->next; n; n = n->next, c++) {
		c->type = (int)reader_number(n, 1);
		ck_assert_int_eq(reader_number(n, 3), 1);
		c->name = reader_field(n, 4)->p;
		c->name_length = reader_field(n, 4)->n;
		logical = reader_field(n, 10);
		c->utf8 = logical && logical->children == 1 && logical->child->id == 1;
		PM_SURE(c->utf8 == (reader_field(n, 6) != NULL));
		c->cell = reader_memory(r, (r->rows + 1) * sizeof *c->cell);
	}
}

struct reader *reader_open(const unsigned char *file, size_t size)
{
	struct reader *r = calloc(1, sizeof *r);
	const unsigned char *p;
	struct reader_node *orders;
	size_t length;

	ck_assert_ptr_nonnull(r);
	PM_SURE(size >= 12 && memcmp(file, "PAR1", 4) == 0);
	PM_SURE(memcmp(file + size - 4, "PAR1", 4) == 0);
	length = little(file + size - 8, 4);
	PM_SURE(length <= size - 12);
	r->file = file;
	r->size = size;
	r->footer = reader_memory(r, sizeof *r->footer);
	p = file + size - 8 - length;
	reader_struct(r, r->footer, &p, file + size - 8);
	PM_SURE(p == file + size - 8);
	ck_assert_int_eq(reader_number(r->footer, 1), 1);
	r->rows = (size_t)reader_number(r->footer, 3);
	read_schema(r);
	read_groups(r, size - 8 - length);
	orders = reader_field(r->footer, 7);
	PM_SURE(orders && orders->children == r->columns);
	for (struct reader_node *n = orders->child; n; n = n->next)
		PM_SURE(n->children == 1 && n->child->id == 1);
	return r;
}

void reader_close(struct reader *r)
{
	reader_forget(r);
	free(r);
}
