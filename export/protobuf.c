/* Messages of protocol buffers. */
#include "config.h"

#include "export/protobuf.h"

/* Kinds of fields on the wire. */
enum { VARINT = 0, BYTES = 2 };

/* Bytes that are kept for the length of a message: it is written with as many, whatever it is. */
#define LENGTH_BYTES 4

static void add_key(struct pm_bytes *b, unsigned field, unsigned kind)
{
	pm_bytes_varint(b, (uint64_t)field << 3 | kind);
}

void pm_protobuf_integer(struct pm_bytes *b, unsigned field, uint64_t v)
{
	add_key(b, field, VARINT);
	pm_bytes_varint(b, v);
}

void pm_protobuf_text(struct pm_bytes *b, unsigned field, const char *p, size_t n)
{
	add_key(b, field, BYTES);
	pm_bytes_varint(b, n);
	pm_bytes_add(b, p, n);
}

size_t pm_protobuf_begin(struct pm_bytes *b, unsigned field)
{
	add_key(b, field, BYTES);
	pm_bytes_little(b, 0, LENGTH_BYTES);
	return b->n;
}

void pm_protobuf_end(struct pm_bytes *b, size_t begun)
{
	const size_t n = b->n - begun;

	if (b->failed)
		return;
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		b->p[begun - LENGTH_BYTES + i] =
			(unsigned char)((n >> 7 * i & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0));
}
