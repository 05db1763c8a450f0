/* Thrift's compact protocol: https://github.com/apache/thrift/blob/master/doc/specs. */
#include "config.h"

#include "export/parquet/thrift.h"

/* Types of fields. */
enum { TRUE = 1, FALSE = 2, I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

static void open_struct(struct pm_thrift *t)
{
	t->last[t->depth++] = 0;
}

/* The beginning of a field: type, and how far its id is from the last one. */
static void begin_field(struct pm_thrift *t, int id, unsigned type)
{
	int *last = &t->last[t->depth - 1], step = id - *last;

	if (step > 0 && step <= 15) {
		pm_bytes_byte(t->out, (unsigned)step << 4 | type);
	} else {
		pm_bytes_byte(t->out, type);
		pm_bytes_zigzag(t->out, id);
	}
	*last = id;
}

void pm_thrift_begin(struct pm_thrift *t, struct pm_bytes *out)
{
	t->out = out;
	t->depth = 0;
	open_struct(t);
}

void pm_thrift_end(struct pm_thrift *t)
{
	pm_bytes_byte(t->out, 0);
	t->depth--;
}

void pm_thrift_bool(struct pm_thrift *t, int id, bool v)
{
	begin_field(t, id, v ? TRUE : FALSE);
}

void pm_thrift_i32(struct pm_thrift *t, int id, int32_t v)
{
	begin_field(t, id, I32);
	pm_bytes_zigzag(t->out, v);
}

void pm_thrift_i64(struct pm_thrift *t, int id, int64_t v)
{
	begin_field(t, id, I64);
	pm_bytes_zigzag(t->out, v);
}

void pm_thrift_binary(struct pm_thrift *t, int id, const void *p, size_t n)
{
	begin_field(t, id, BINARY);
	pm_thrift_add_binary(t, p, n);
}

void pm_thrift_text(struct pm_thrift *t, int id, const char *text)
{
	pm_thrift_binary(t, id, text, strlen(text));
}

void pm_thrift_struct(struct pm_thrift *t, int id)
{
	begin_field(t, id, STRUCT);
	open_struct(t);
}

void pm_thrift_list(struct pm_thrift *t, int id, enum pm_thrift_element element, size_t n)
{
	begin_field(t, id, LIST);
	if (n < 15) {
		pm_bytes_byte(t->out, (unsigned)n << 4 | element);
	} else {
		pm_bytes_byte(t->out, 0xf0 | element);
		pm_bytes_varint(t->out, n);
	}
}

void pm_thrift_add_i32(struct pm_thrift *t, int32_t v)
{
	pm_bytes_zigzag(t->out, v);
}

void pm_thrift_add_binary(struct pm_thrift *t, const void *p, size_t n)
{
	pm_bytes_varint(t->out, n);
	pm_bytes_add(t->out, p, n);
}

void pm_thrift_add_struct(struct pm_thrift *t)
{
	open_struct(t);
}
