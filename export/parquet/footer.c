/* The end of a Parquet file; names of fields as in parquet.thrift of apache/parquet-format. */
#include "config.h"

#include "export/parquet/footer.h"

#include "common/utf8.h"

#include <errno.h>

/* Descriptions of row groups that are kept in memory: those of 8 GB of rows, or so. */
#define KEPT ((size_t)256 << 10)

/* What readers take for the length of a footer. */
#define LONGEST INT32_MAX

/* Fields of FileMetaData. */
enum {
	FORMAT_VERSION = 1,
	SCHEMA,
	NUM_ROWS,
	ROW_GROUPS,
	KEY_VALUE_METADATA,
	CREATED_BY,
	COLUMN_ORDERS
};
/* Fields of SchemaElement. */
enum { TYPE = 1, REPETITION = 3, NAME, NUM_CHILDREN, CONVERTED_TYPE, LOGICAL_TYPE = 10 };
/* Fields of RowGroup. */
enum { COLUMNS = 1, TOTAL_BYTE_SIZE, GROUP_ROWS, GROUP_OFFSET = 5, GROUP_COMPRESSED_SIZE };
/* Fields of ColumnChunk. */
enum { CHUNK_OFFSET = 2, META_DATA };
/* Fields of ColumnMetaData, whose first is TYPE, too. */
enum {
	ENCODINGS = 2,
	PATH,
	CODEC,
	NUM_VALUES,
	UNCOMPRESSED_SIZE,
	COMPRESSED_SIZE,
	DATA_PAGE_OFFSET = 9,
	DICTIONARY_PAGE_OFFSET = 11,
	STATISTICS,
	ENCODING_STATS,
};
/* Fields of PageEncodingStats, of KeyValue. */
enum { PAGE_TYPE = 1, PAGE_ENCODING, PAGE_COUNT };
enum { KEY = 1, VALUE };
/* A choice of the unions LogicalType and ColumnOrder, each with an empty struct. */
enum { STRING = 1, TYPE_ORDER = 1 };
/* Values of Type, ConvertedType and FieldRepetitionType. */
enum { INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6, UTF8 = 0, OPTIONAL = 1 };

static const int physical[] = {
	[PM_PARQUET_INT] = INT64,
	[PM_PARQUET_REAL] = DOUBLE,
	[PM_PARQUET_TEXT] = BYTE_ARRAY,
};

void pm_parquet_footer_free(struct pm_parquet_footer *f)
{
	if (f->spill)
		fclose(f->spill);
	pm_bytes_free(&f->groups);
	pm_bytes_free(&f->notes);
	pm_bytes_free(&f->text);
}

/* A text as valid UTF-8, until the next one. */
static const struct pm_bytes *valid(struct pm_parquet_footer *f, const char *text)
{
	f->text.n = 0;
	pm_utf8_add(&f->text, text, strlen(text));
	return &f->text;
}

void pm_parquet_footer_note(struct pm_parquet_footer *f, const char *key, const char *value)
{
	const struct pm_bytes *text;
	struct pm_thrift t;

	pm_thrift_begin(&t, &f->notes);
	text = valid(f, key);
	pm_thrift_binary(&t, KEY, text->p, text->n);
	text = valid(f, value);
	pm_thrift_binary(&t, VALUE, text->p, text->n);
	pm_thrift_end(&t);
	f->note_count++;
}

void pm_parquet_footer_begin_group(struct pm_parquet_footer *f, size_t columns)
{
	pm_thrift_begin(&f->t, &f->groups);
	pm_thrift_list(&f->t, COLUMNS, PM_THRIFT_STRUCT, columns);
	f->raw = f->packed = 0;
}

/* How many pages have which encoding: that of the dictionary, then those of values. */
static void write_page_counts(struct pm_thrift *t, const struct pm_parquet_chunk *c)
{
	bool dictionary = pm_parquet_chunk_has_dictionary(c);
	size_t kinds = dictionary;

	for (size_t i = 0; i < PM_PARQUET_ENCODINGS; i++)
		kinds += c->pages[i] > 0;
	pm_thrift_list(t, ENCODING_STATS, PM_THRIFT_STRUCT, kinds);
	for (int i = -1; i < PM_PARQUET_ENCODINGS; i++) {
		size_t pages = i < 0 ? dictionary : c->pages[i];

		if (pages == 0)
			continue;
		pm_thrift_add_struct(t);
		pm_thrift_i32(t, PAGE_TYPE,
			      i < 0 ? PM_PARQUET_DICTIONARY_PAGE : PM_PARQUET_DATA_PAGE);
		pm_thrift_i32(t, PAGE_ENCODING, i < 0 ? PM_PARQUET_PLAIN : i);
		pm_thrift_i32(t, PAGE_COUNT, (int32_t)pages);
		pm_thrift_end(t);
	}
}

/* The encodings of levels, of the dictionary's page, and of values. */
static void write_encodings(struct pm_thrift *t, const struct pm_parquet_chunk *c)
{
	bool used[PM_PARQUET_ENCODINGS];
	size_t n = 0;

	for (size_t i = 0; i < PM_PARQUET_ENCODINGS; i++) {
		used[i] = c->pages[i] > 0 || i == PM_PARQUET_RLE ||
			  (i == PM_PARQUET_PLAIN && pm_parquet_chunk_has_dictionary(c));
		n += used[i];
	}
	pm_thrift_list(t, ENCODINGS, PM_THRIFT_I32, n);
	for (size_t i = 0; i < PM_PARQUET_ENCODINGS; i++)
		if (used[i])
			pm_thrift_add_i32(t, (int32_t)i);
}

void pm_parquet_footer_add_chunk(struct pm_parquet_footer *f,
				 const struct pm_parquet_column *column,
				 const struct pm_parquet_chunk *c, int64_t offset)
{
	bool dictionary = pm_parquet_chunk_has_dictionary(c);
	const struct pm_bytes *name = valid(f, column->name);
	int64_t raw = 0, packed = 0;
	struct pm_thrift *t = &f->t;

	for (const struct pm_parquet_page *page = c->page; page; page = page->next) {
		raw += (int64_t)page->raw;
		packed += (int64_t)page->packed;
	}
	if (f->packed == 0)
		f->begin = offset;
	f->raw += raw;
	f->packed += packed;
	pm_thrift_add_struct(t);
	/* 0: the description is nowhere but here. */
	pm_thrift_i64(t, CHUNK_OFFSET, 0);
	pm_thrift_struct(t, META_DATA);
	pm_thrift_i32(t, TYPE, physical[c->type]);
	write_encodings(t, c);
	pm_thrift_list(t, PATH, PM_THRIFT_BINARY, 1);
	pm_thrift_add_binary(t, name->p, name->n);
	pm_thrift_i32(t, CODEC, pm_compress_codec());
	pm_thrift_i64(t, NUM_VALUES, (int64_t)c->rows);
	pm_thrift_i64(t, UNCOMPRESSED_SIZE, raw);
	pm_thrift_i64(t, COMPRESSED_SIZE, packed);
	pm_thrift_i64(t, DATA_PAGE_OFFSET, offset + (dictionary ? (int64_t)c->page->packed : 0));
	if (dictionary)
		pm_thrift_i64(t, DICTIONARY_PAGE_OFFSET, offset);
	pm_thrift_struct(t, STATISTICS);
	pm_parquet_bounds_write(&c->bounds, c->type, (int64_t)c->nulls, t);
	pm_thrift_end(t);
	write_page_counts(t, c);
	pm_thrift_end(t);
	pm_thrift_end(t);
}

static int spill(struct pm_parquet_footer *f, struct pm_err *e)
{
	if (!f->spill && !(f->spill = tmpfile()))
		return pm_err(e, "a temporary file: %m");
	if (fwrite(f->groups.p, 1, f->groups.n, f->spill) != f->groups.n)
		return pm_err(e, "write to a temporary file: %m");
	f->spilled += f->groups.n;
	f->groups.n = 0;
	return 0;
}

int pm_parquet_footer_end_group(struct pm_parquet_footer *f, int64_t rows, struct pm_err *e)
{
	pm_thrift_i64(&f->t, TOTAL_BYTE_SIZE, f->raw);
	pm_thrift_i64(&f->t, GROUP_ROWS, rows);
	pm_thrift_i64(&f->t, GROUP_OFFSET, f->begin);
	pm_thrift_i64(&f->t, GROUP_COMPRESSED_SIZE, f->packed);
	pm_thrift_end(&f->t);
	f->rows += rows;
	f->group_count++;
	if (f->groups.failed || f->text.failed)
		return pm_err(e, "out of memory");
	return f->groups.n > KEPT ? spill(f, e) : 0;
}

static void write_schema(struct pm_parquet_footer *f, struct pm_thrift *t,
			 const struct pm_parquet_column *column, size_t columns)
{
	pm_thrift_list(t, SCHEMA, PM_THRIFT_STRUCT, 1 + columns);
	pm_thrift_add_struct(t);
	pm_thrift_text(t, NAME, "schema");
	pm_thrift_i32(t, NUM_CHILDREN, (int32_t)columns);
	pm_thrift_end(t);
	for (size_t i = 0; i < columns; i++) {
		const struct pm_bytes *name = valid(f, column[i].name);

		pm_thrift_add_struct(t);
		pm_thrift_i32(t, TYPE, physical[column[i].type]);
		pm_thrift_i32(t, REPETITION, OPTIONAL);
		pm_thrift_binary(t, NAME, name->p, name->n);
		if (column[i].type == PM_PARQUET_TEXT) {
			pm_thrift_i32(t, CONVERTED_TYPE, UTF8);
			pm_thrift_struct(t, LOGICAL_TYPE);
			pm_thrift_struct(t, STRING);
			pm_thrift_end(t);
			pm_thrift_end(t);
		}
		pm_thrift_end(t);
	}
}

/* What follows the row groups. */
static void write_tail(struct pm_parquet_footer *f, struct pm_thrift *t, size_t columns)
{
	if (f->note_count > 0) {
		pm_thrift_list(t, KEY_VALUE_METADATA, PM_THRIFT_STRUCT, f->note_count);
		pm_bytes_add(t->out, f->notes.p, f->notes.n);
	}
	pm_thrift_text(t, CREATED_BY, "perfmon version " PACKAGE_VERSION " (build )");
	pm_thrift_list(t, COLUMN_ORDERS, PM_THRIFT_STRUCT, columns);
	for (size_t i = 0; i < columns; i++) {
		pm_thrift_add_struct(t);
		pm_thrift_struct(t, TYPE_ORDER);
		pm_thrift_end(t);
		pm_thrift_end(t);
	}
	pm_thrift_end(t);
}

static int put(FILE *out, const void *p, size_t n, struct pm_err *e)
{
	return n == 0 || fwrite(p, 1, n, out) == n ? 0 : pm_err(e, "write: %m");
}

static int copy_spilled(const struct pm_parquet_footer *f, FILE *out, struct pm_err *e)
{
	char piece[16384];
	size_t left = f->spilled, n;

	if (!f->spill)
		return 0;
	if (fseek(f->spill, 0, SEEK_SET) != 0)
		return pm_err(e, "write to a temporary file: %m");
	for (; left > 0; left -= n) {
		errno = EIO;
		n = fread(piece, 1, left < sizeof piece ? left : sizeof piece, f->spill);
		if (n == 0)
			return pm_err(e, "read a temporary file: %m");
		if (put(out, piece, n, e) < 0)
			return -1;
	}
	return 0;
}

int pm_parquet_footer_write(struct pm_parquet_footer *f, FILE *out,
			    const struct pm_parquet_column *column, size_t columns,
			    struct pm_err *e)
{
	struct pm_bytes head = { .p = NULL }, tail = { .p = NULL };
	struct pm_thrift t;
	size_t length;
	int rc = -1;

	pm_thrift_begin(&t, &head);
	pm_thrift_i32(&t, FORMAT_VERSION, 1);
	write_schema(f, &t, column, columns);
	pm_thrift_i64(&t, NUM_ROWS, f->rows);
	pm_thrift_list(&t, ROW_GROUPS, PM_THRIFT_STRUCT, f->group_count);
	t.out = &tail;
	write_tail(f, &t, columns);
	length = head.n + f->spilled + f->groups.n + tail.n;
	pm_bytes_little(&tail, length, 4);
	pm_bytes_add(&tail, "PAR1", 4);
	if (head.failed || tail.failed || f->notes.failed || f->text.failed)
		pm_err(e, "out of memory");
	else if (length > LONGEST)
		pm_err(e, "too many row groups and columns for one Parquet file");
	else if (put(out, head.p, head.n, e) == 0 && copy_spilled(f, out, e) == 0 &&
		 put(out, f->groups.p, f->groups.n, e) == 0 && put(out, tail.p, tail.n, e) == 0)
		rc = 0;
	pm_bytes_free(&head);
	pm_bytes_free(&tail);
	return rc;
}
