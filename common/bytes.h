/* Bytes in memory that grow as they are added. Programs only. */
#ifndef PM_COMMON_BYTES_H
#define PM_COMMON_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero: nothing yet. */
struct pm_bytes {
	unsigned char *p;
	size_t n, room;
	bool failed; /* memory ran out, and what was added since is lost */
};

/* Make room for more bytes, doubling it. Returns false if out of memory: then `failed` is set. */
bool pm_bytes_grow(struct pm_bytes *b, size_t more);

static inline bool pm_bytes_room(struct pm_bytes *b, size_t more)
{
	return b->room - b->n >= more || pm_bytes_grow(b, more);
}

static inline void pm_bytes_add(struct pm_bytes *b, const void *p, size_t n)
{
	if (n == 0 || !pm_bytes_room(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void pm_bytes_byte(struct pm_bytes *b, unsigned v)
{
	if (pm_bytes_room(b, 1))
		b->p[b->n++] = (unsigned char)v;
}

/* Add the lowest `size` bytes of a number, 8 at most, the low ones first. */
static inline void pm_bytes_little(struct pm_bytes *b, uint64_t v, size_t size)
{
	uint64_t little = htole64(v);

	pm_bytes_add(b, &little, size);
}

/* Add a number in ULEB128: seven bits a byte, the low ones first, the highest bit: more follow. */
void pm_bytes_varint(struct pm_bytes *b, uint64_t v);

/* Add a number in ULEB128 after its sign was folded into the lowest bit: 0, -1, 1, -2 become 0, 1,
 * 2, 3. */
void pm_bytes_zigzag(struct pm_bytes *b, int64_t v);

/* Free the memory; the bytes are as at first. */
void pm_bytes_free(struct pm_bytes *b);

#endif
