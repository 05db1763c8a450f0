/* Open addressing with linear probing, at most two thirds full. */
#include "config.h"

#include "submit/memory/hashmap.h"

#include "submit/memory/filemem.h"

#include <string.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
uint64_t pm_hashmap_mix(uint64_t hash, uint64_t v)
{
	uint64_t x = hash + v + 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t pm_hashmap_mix_bytes(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *at = p;

	for (; n >= 8; at += 8, n -= 8) {
		uint64_t v;

		memcpy(&v, at, 8);
		hash = pm_hashmap_mix(hash, v);
	}
	for (; n > 0; at++, n--)
		hash = pm_hashmap_mix(hash, *at);
	return hash;
}

/* Slot of a hash, or the free slot for it. */
static size_t find_slot(const struct pm_hashmap *s, uint64_t hash)
{
	size_t i = hash & (s->cap - 1);

	while (s->hash[i] && s->hash[i] != hash)
		i = (i + 1) & (s->cap - 1);
	return i;
}

bool pm_hashmap_has(const struct pm_hashmap *s, uint64_t hash)
{
	hash += hash == 0;
	return s->cap && s->hash[find_slot(s, hash)];
}

uint32_t pm_hashmap_next(const struct pm_hashmap *s, uint64_t hash, size_t *at)
{
	if (s->cap == 0)
		return UINT32_MAX;
	hash += hash == 0;
	for (;; ++*at) {
		size_t i = (hash + *at) & (s->cap - 1);

		if (s->hash[i] == 0)
			return UINT32_MAX;
		if (s->hash[i] == hash) {
			++*at;
			return s->value[i];
		}
	}
}

static void put_entry(struct pm_hashmap *s, uint64_t hash, uint32_t value)
{
	size_t i = hash & (s->cap - 1);

	while (s->hash[i])
		i = (i + 1) & (s->cap - 1);
	s->hash[i] = hash;
	if (s->value)
		s->value[i] = value;
}

/* Double the capacity. Returns 0, or -1 if out of memory. */
static int grow_map(struct pm_hashmap *s, bool values)
{
	struct pm_hashmap grown = { .cap = s->cap ? 2 * s->cap : 64, .used = s->used };

	grown.hash = pm_filemem_spread(grown.cap, sizeof grown.hash[0]);
	if (values)
		grown.value = pm_filemem_spread(grown.cap, sizeof grown.value[0]);
	if (!grown.hash || (values && !grown.value)) {
		pm_hashmap_free(&grown);
		return -1;
	}
	for (size_t i = 0; i < s->cap; i++) {
		if (s->hash[i])
			put_entry(&grown, s->hash[i], s->value ? s->value[i] : 0);
		if (i % 64 == 0)
			pm_filemem_trim();
	}
	pm_hashmap_free(s);
	*s = grown;
	return 0;
}

static int add_entry(struct pm_hashmap *s, uint64_t hash, bool valued, uint32_t value)
{
	if (3 * (s->used + 1) > 2 * s->cap && grow_map(s, valued) < 0)
		return -1;
	put_entry(s, hash + (hash == 0), value);
	s->used++;
	return 0;
}

int pm_hashmap_add(struct pm_hashmap *s, uint64_t hash, uint32_t value)
{
	return add_entry(s, hash, true, value);
}

int pm_hashmap_mark(struct pm_hashmap *s, uint64_t hash)
{
	return add_entry(s, hash, false, 0);
}

void pm_hashmap_free(struct pm_hashmap *s)
{
	pm_filemem_free(s->hash);
	pm_filemem_free(s->value);
	memset(s, 0, sizeof *s);
}
