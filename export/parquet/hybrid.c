/* Parquet's hybrid of runs and packed bits. */
#include "config.h"

#include "export/parquet/hybrid.h"

#include <endian.h>

/* Values that are written as a run: a group of them at least. */
#define LEAST_RUN 8

/* Groups whose number fits the one byte of their header. */
#define MOST_GROUPS 63

unsigned pm_hybrid_width(uint32_t most)
{
	return most ? 32 - (unsigned)__builtin_clz(most) : 1;
}

void pm_hybrid_begin(struct pm_hybrid *h, struct pm_bytes *out, unsigned width)
{
	h->out = out;
	h->width = width;
	h->value = 0;
	h->run = 0;
	h->filled = h->groups = 0;
}

/* Pack the eight values of the group: `width` bytes. */
static void pack_group(struct pm_hybrid *h)
{
	struct pm_bytes *out = h->out;
	uint64_t bits = 0, little;
	unsigned n = 0;

	h->filled = 0;
	if (!pm_bytes_room(out, 1 + 32 + sizeof bits))
		return;
	if (h->groups == 0)
		h->head = out->n++;
	for (unsigned i = 0; i < 8; i++) {
		bits |= (uint64_t)h->group[i] << n;
		n += h->width;
		if (n < 32)
			continue;
		little = htole64(bits);
		memcpy(out->p + out->n, &little, 4);
		out->n += 4;
		bits >>= 32;
		n -= 32;
	}
	little = htole64(bits);
	memcpy(out->p + out->n, &little, 4);
	out->n += n / 8;
	h->groups++;
	out->p[h->head] = (unsigned char)(h->groups << 1 | 1);
	if (h->groups == MOST_GROUPS)
		h->groups = 0;
}

void pm_hybrid_end_run(struct pm_hybrid *h)
{
	for (; h->run > 0 && h->filled > 0; h->run--) {
		h->group[h->filled++] = h->value;
		if (h->filled == 8)
			pack_group(h);
	}
	if (h->run >= LEAST_RUN) {
		pm_bytes_varint(h->out, (uint64_t)h->run << 1);
		pm_bytes_little(h->out, h->value, (h->width + 7) / 8);
		h->groups = 0;
		h->run = 0;
	}
	for (; h->run > 0; h->run--)
		h->group[h->filled++] = h->value;
}

void pm_hybrid_end(struct pm_hybrid *h)
{
	pm_hybrid_end_run(h);
	if (h->filled == 0)
		return;
	while (h->filled < 8)
		h->group[h->filled++] = 0;
	pack_group(h);
}
