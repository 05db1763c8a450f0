/* Bytes in memory that grow as they are added. */
#include "config.h"

#include "common/bytes.h"

#include "common/grow.h"

#include <stdlib.h>

bool pm_bytes_grow(struct pm_bytes *b, size_t more)
{
	if (!b->failed && PM_GROW_BY(b->p, b->n, more, b->room, 64))
		return true;
	b->failed = true;
	return false;
}

void pm_bytes_varint(struct pm_bytes *b, uint64_t v)
{
	if (!pm_bytes_room(b, 10))
		return;
	for (; v >= 0x80; v >>= 7)
		b->p[b->n++] = (unsigned char)(v | 0x80);
	b->p[b->n++] = (unsigned char)v;
}

void pm_bytes_zigzag(struct pm_bytes *b, int64_t v)
{
	pm_bytes_varint(b, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

void pm_bytes_free(struct pm_bytes *b)
{
	free(b->p);
	*b = (struct pm_bytes){ .p = NULL };
}
