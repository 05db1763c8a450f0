/* Open addressing with linear probing, at most two thirds full. */
#include "config.h"

#include "submit/set.h"

#include <stdlib.h>
#include <string.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
uint64_t pm_set_mix(uint64_t hash, uint64_t v)
{
	uint64_t x = hash + v + 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t pm_set_mix_bytes(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *at = p;

	for (; n >= 8; at += 8, n -= 8) {
		uint64_t v;

		memcpy(&v, at, 8);
		hash = pm_set_mix(hash, v);
	}
	for (; n > 0; at++, n--)
		hash = pm_set_mix(hash, *at);
	return hash;
}

uint32_t pm_set_next(const struct pm_set *s, uint64_t hash, size_t *at)
{
	if (s->cap == 0)
		return UINT32_MAX;
	hash += hash == 0;
	for (;; ++*at) {
		const struct pm_set_entry *e = &s->entry[(hash + *at) & (s->cap - 1)];

		if (e->hash == 0)
			return UINT32_MAX;
		if (e->hash == hash) {
			++*at;
			return e->value;
		}
	}
}

static void put(struct pm_set *s, uint64_t hash, uint32_t value)
{
	size_t i = hash & (s->cap - 1);

	while (s->entry[i].hash)
		i = (i + 1) & (s->cap - 1);
	s->entry[i].hash = hash;
	s->entry[i].value = value;
}

int pm_set_add(struct pm_set *s, uint64_t hash, uint32_t value)
{
	if (3 * (s->used + 1) > 2 * s->cap) {
		struct pm_set grown = { .cap = s->cap ? 2 * s->cap : 64 };

		grown.entry = calloc(grown.cap, sizeof grown.entry[0]);
		if (!grown.entry)
			return -1;
		for (size_t i = 0; i < s->cap; i++)
			if (s->entry[i].hash)
				put(&grown, s->entry[i].hash, s->entry[i].value);
		free(s->entry);
		s->entry = grown.entry;
		s->cap = grown.cap;
	}
	put(s, hash + (hash == 0), value);
	s->used++;
	return 0;
}

void pm_set_free(struct pm_set *s)
{
	free(s->entry);
	memset(s, 0, sizeof *s);
}
