/* Messages of protocol buffers. */
#include "config.h"

#include "export/protobuf.h"

#include "common/grow.h"

#include <string.h>

/* Kinds of fields on the wire. */
enum { VARINT = 0, BYTES = 2 };

/* Bytes that are kept for the length of a message: it is written with as many, whatever it is. */
#define LENGTH_BYTES 4

static unsigned char *add(struct pm_protobuf *b, size_t n)
{
	if (b->failed || !PM_GROW_BY(b->p, b->n, n, b->room, 4096)) {
		b->failed = true;
		return NULL;
	}
	b->n += n;
	return b->p + b->n - n;
}

static void add_varint(struct pm_protobuf *b, uint64_t v)
{
	unsigned char bytes[10], *to;
	size_t n = 0;

	do
		bytes[n++] = (unsigned char)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
	while (v >>= 7);
	to = add(b, n);
	if (to)
		memcpy(to, bytes, n);
}

static void add_key(struct pm_protobuf *b, unsigned field, unsigned kind)
{
	add_varint(b, (uint64_t)field << 3 | kind);
}

void pm_protobuf_integer(struct pm_protobuf *b, unsigned field, uint64_t v)
{
	add_key(b, field, VARINT);
	add_varint(b, v);
}

void pm_protobuf_text(struct pm_protobuf *b, unsigned field, const char *p, size_t n)
{
	unsigned char *to;

	add_key(b, field, BYTES);
	add_varint(b, n);
	to = add(b, n);
	if (to && n > 0)
		memcpy(to, p, n);
}

size_t pm_protobuf_begin(struct pm_protobuf *b, unsigned field)
{
	add_key(b, field, BYTES);
	add(b, LENGTH_BYTES);
	return b->n;
}

void pm_protobuf_end(struct pm_protobuf *b, size_t begun)
{
	const size_t n = b->n - begun;
	unsigned char *length;

	if (b->failed)
		return;
	length = b->p + begun - LENGTH_BYTES;
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		length[i] = (unsigned char)(n >> 7 * i & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0);
}
