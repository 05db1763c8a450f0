/* Open addressing with linear probing, at most two thirds full. */
#include "config.h"

#include "submit/set.h"

#include "submit/big.h"

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

/* Place of the hash, or of the free one where it would go. */
static size_t place(const struct pm_set *s, uint64_t hash)
{
	size_t i = hash & (s->cap - 1);

	while (s->hash[i] && s->hash[i] != hash)
		i = (i + 1) & (s->cap - 1);
	return i;
}

bool pm_set_has(const struct pm_set *s, uint64_t hash)
{
	hash += hash == 0;
	return s->cap && s->hash[place(s, hash)];
}

uint32_t pm_set_next(const struct pm_set *s, uint64_t hash, size_t *at)
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

static void put(struct pm_set *s, uint64_t hash, uint32_t value)
{
	size_t i = hash & (s->cap - 1);

	while (s->hash[i])
		i = (i + 1) & (s->cap - 1);
	s->hash[i] = hash;
	if (s->value)
		s->value[i] = value;
}

/* Make room for twice as many. Returns 0, or -1 without memory. */
static int grow(struct pm_set *s, bool values)
{
	struct pm_set grown = { .cap = s->cap ? 2 * s->cap : 64, .used = s->used };

	grown.hash = pm_big_spread(grown.cap, sizeof grown.hash[0]);
	if (values)
		grown.value = pm_big_spread(grown.cap, sizeof grown.value[0]);
	if (!grown.hash || (values && !grown.value)) {
		pm_set_free(&grown);
		return -1;
	}
	for (size_t i = 0; i < s->cap; i++) {
		if (s->hash[i])
			put(&grown, s->hash[i], s->value ? s->value[i] : 0);
		if (i % 64 == 0)
			pm_big_trim();
	}
	pm_set_free(s);
	*s = grown;
	return 0;
}

static int add(struct pm_set *s, uint64_t hash, bool valued, uint32_t value)
{
	if (3 * (s->used + 1) > 2 * s->cap && grow(s, valued) < 0)
		return -1;
	put(s, hash + (hash == 0), value);
	s->used++;
	return 0;
}

int pm_set_add(struct pm_set *s, uint64_t hash, uint32_t value)
{
	return add(s, hash, true, value);
}

int pm_set_mark(struct pm_set *s, uint64_t hash)
{
	return add(s, hash, false, 0);
}

void pm_set_free(struct pm_set *s)
{
	pm_big_free(s->hash);
	pm_big_free(s->value);
	memset(s, 0, sizeof *s);
}
