/* Open addressing with linear probing, at most two thirds full. */
#include "config.h"

#include "submit/memory/hashindex.h"

#include "submit/memory/filemem.h"

#include <string.h>

uint32_t pm_hashindex_next(const struct pm_hashindex *x, uint64_t hash, size_t *at)
{
	const uint32_t half = (uint32_t)(hash >> 32);

	while (x->cap) {
		const uint64_t entry = x->entry[(half + *at) & (x->cap - 1)];

		if (entry == 0)
			break;
		++*at;
		if (entry >> 32 == half)
			return (uint32_t)entry - 1;
	}
	return UINT32_MAX;
}

static void put_entry(struct pm_hashindex *x, uint64_t entry)
{
	size_t i = (entry >> 32) & (x->cap - 1);

	while (x->entry[i])
		i = (i + 1) & (x->cap - 1);
	x->entry[i] = entry;
}

/* Double the capacity. Returns 0, or -1 if out of memory. */
static int grow_table(struct pm_hashindex *x)
{
	struct pm_hashindex grown = { .cap = x->cap ? 2 * x->cap : 64, .used = x->used };

	grown.entry = pm_filemem_spread(grown.cap, sizeof grown.entry[0]);
	if (!grown.entry)
		return -1;
	for (size_t i = 0; i < x->cap; i++) {
		if (x->entry[i])
			put_entry(&grown, x->entry[i]);
		if (i % 64 == 0)
			pm_filemem_trim();
	}
	pm_hashindex_free(x);
	*x = grown;
	return 0;
}

int pm_hashindex_add(struct pm_hashindex *x, uint64_t hash, uint32_t number)
{
	if (3 * (x->used + 1) > 2 * x->cap && grow_table(x) < 0)
		return -1;
	put_entry(x, hash >> 32 << 32 | (number + 1));
	x->used++;
	return 0;
}

void pm_hashindex_free(struct pm_hashindex *x)
{
	pm_filemem_free(x->entry);
	memset(x, 0, sizeof *x);
}
