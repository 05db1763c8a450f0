/* Parquet's DELTA_BINARY_PACKED. */
#include "config.h"

#include "export/parquet/delta.h"

#include <endian.h>

/* Differences of a block, which have one least difference, and of its parts, which have one number
 * of bits. */
#define BLOCK 128
#define PART  32

static uint64_t value_at(const unsigned char *p, size_t i)
{
	uint64_t v;

	memcpy(&v, p + 8 * i, sizeof v);
	return le64toh(v);
}

/* Pack the values of a part in `width` bits each. */
static void pack(struct pm_bytes *out, const uint64_t *v, unsigned width)
{
	uint64_t bits = 0, little;
	unsigned n = 0;

	if (!pm_bytes_room(out, (size_t)PART / 8 * width + sizeof bits))
		return;
	for (size_t i = 0; i < PART; i++) {
		bits |= v[i] << n;
		n += width;
		if (n < 64)
			continue;
		little = htole64(bits);
		memcpy(out->p + out->n, &little, sizeof little);
		out->n += sizeof little;
		n -= 64;
		bits = n ? v[i] >> (width - n) : 0;
	}
	little = htole64(bits);
	memcpy(out->p + out->n, &little, sizeof little);
	out->n += n / 8;
}

/* A block of the n differences from one value on to the next. */
static void add_block(struct pm_bytes *out, const unsigned char *p, size_t n)
{
	uint64_t delta[BLOCK] = { 0 };
	unsigned width[BLOCK / PART];
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		delta[i] = value_at(p, i + 1) - value_at(p, i);
		if ((int64_t)delta[i] < least)
			least = (int64_t)delta[i];
	}
	for (size_t i = 0; i < n; i++)
		delta[i] -= (uint64_t)least;
	pm_bytes_zigzag(out, least);
	for (size_t k = 0; k < BLOCK / PART; k++) {
		uint64_t any = 0;

		for (size_t i = 0; i < PART; i++)
			any |= delta[k * PART + i];
		width[k] = any ? 64 - (unsigned)__builtin_clzll(any) : 0;
		pm_bytes_byte(out, width[k]);
	}
	for (size_t k = 0; k < BLOCK / PART && k * PART < n; k++)
		pack(out, delta + k * PART, width[k]);
}

void pm_delta_add(struct pm_bytes *out, const unsigned char *p, size_t n)
{
	pm_bytes_varint(out, BLOCK);
	pm_bytes_varint(out, BLOCK / PART);
	pm_bytes_varint(out, n);
	pm_bytes_zigzag(out, (int64_t)value_at(p, 0));
	for (size_t i = 0; i + 1 < n; i += BLOCK)
		add_block(out, p + 8 * i, n - 1 - i < BLOCK ? n - 1 - i : BLOCK);
}
