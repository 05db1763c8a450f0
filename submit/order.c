/*
 * Sorted by the bits in which the keys differ, a few of them at a time, the last ones first, each
 * time keeping the order of what has the same. The things themselves, of which there may be more
 * than memory, are looked at once each.
 */
#include "config.h"

#include "submit/order.h"

#include "submit/big.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* So few are compared with each other. */
#define FEW 256

/* Most bits at a time: as many values as there are places that a processor keeps in its caches, to
 * put the next item to. */
#define DIGIT  11
#define VALUES (1 << DIGIT)
#define DIGITS ((64 + DIGIT - 1) / DIGIT)

/* A key of at most 64 bits, of which the lower half comes first, and its number: twelve bytes. */
struct item {
	uint32_t key[2];
	uint32_t number;
};

/* How keys become those of items: the bits that some have and others have not. */
struct packing {
	uint64_t least[2], most[2];
	unsigned low;           /* bits of the second word */
	unsigned dropped;       /* of both, the last ones, where there are more than 64 */
	unsigned digits, width; /* of what is left */
	bool sorted;            /* as the things come */
	uint32_t count[DIGITS][VALUES];
};

static uint64_t key_of(const struct item *x)
{
	return (uint64_t)x->key[1] << 32 | x->key[0];
}

/* Items lie one after the other: it is enough to think of memory now and then. */
static void trim(size_t k)
{
	if (k % 64 == 0)
		pm_big_trim();
}

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* Take the keys as they are, and see which bits of them matter. */
static void look(const struct pm_order *o, const uint32_t *number, size_t n, uint64_t (*key)[2],
		 struct packing *k)
{
	unsigned bits;

	memset(k->least, 0xff, sizeof k->least);
	memset(k->most, 0, sizeof k->most);
	for (size_t i = 0; i < n; i++) {
		pm_big_trim();
		o->key(o->ctx, number[i], key[i]);
		for (int w = 0; w < 2; w++) {
			k->least[w] = key[i][w] < k->least[w] ? key[i][w] : k->least[w];
			k->most[w] = key[i][w] > k->most[w] ? key[i][w] : k->most[w];
		}
	}
	k->low = bits_of(k->most[1] - k->least[1]);
	bits = k->low + bits_of(k->most[0] - k->least[0]);
	k->dropped = bits > 64 ? bits - 64 : 0;
	bits -= k->dropped;
	k->digits = (bits + DIGIT - 1) / DIGIT;
	k->width = k->digits ? (bits + k->digits - 1) / k->digits : 0;
}

static uint64_t pack(const struct packing *k, const uint64_t *key)
{
	const uint64_t high = key[0] - k->least[0], low = key[1] - k->least[1];
	const unsigned up = k->low - k->dropped;

	return (up < 64 ? high << up : 0) | (k->dropped < 64 ? low >> k->dropped : 0);
}

static unsigned digit_of(const struct packing *k, uint64_t key, unsigned d)
{
	return key >> (d * k->width) & ((1U << k->width) - 1);
}

/* From keys as they are to items, where they lie: each is shorter than its key. */
static void pack_all(const uint32_t *number, size_t n, const uint64_t (*key)[2], struct item *item,
		     struct packing *k)
{
	uint64_t before = 0;

	k->sorted = true;
	for (size_t i = 0; i < n; i++) {
		uint64_t words[2], v;

		trim(i);
		memcpy(words, key[i], sizeof words);
		v = pack(k, words);
		item[i] = (struct item){ { (uint32_t)v, (uint32_t)(v >> 32) }, number[i] };
		for (unsigned d = 0; d < k->digits; d++)
			k->count[d][digit_of(k, v, d)]++;
		k->sorted = k->sorted && before <= v;
		before = v;
	}
}

/* Put items in the order of a digit, of whose values there are so many each. */
static void move(const struct packing *k, const struct item *from, struct item *to, size_t n,
		 unsigned d, uint32_t *count)
{
	uint32_t next = 0;

	for (unsigned v = 0; v < 1U << k->width; v++) {
		uint32_t so_many = count[v];

		count[v] = next;
		next += so_many;
	}
	for (size_t i = 0; i < n; i++) {
		trim(i);
		to[count[digit_of(k, key_of(&from[i]), d)]++] = from[i];
	}
}

/* Take the numbers over, sorting those of the same key. */
static void settle(const struct pm_order *o, const struct item *item, size_t n, uint32_t *number)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		trim(i);
		number[i] = item[i].number;
		if (i + 1 < n && key_of(&item[i]) == key_of(&item[i + 1]))
			continue;
		if (i > first)
			qsort_r(number + first, i + 1 - first, sizeof number[0], o->compare,
				o->ctx);
		first = i + 1;
	}
}

int pm_order_sort(const struct pm_order *o, uint32_t *number, size_t n, struct pm_err *e)
{
	struct packing *k;
	struct item *item, *other;
	void *room;

	if (n <= FEW) {
		if (n > 1)
			qsort_r(number, n, sizeof number[0], o->compare, o->ctx);
		return 0;
	}
	_Static_assert(2 * sizeof(struct item) >= 2 * sizeof(uint64_t), "room for whole keys");
	room = pm_big_spread(n, 2 * sizeof(struct item), NULL);
	k = calloc(1, sizeof *k);
	if (!room || !k) {
		pm_big_free(room);
		free(k);
		return pm_err(e, "out of memory");
	}
	item = room;
	other = item + n;
	look(o, number, n, room, k);
	pack_all(number, n, room, item, k);
	for (unsigned d = 0; d < k->digits && !k->sorted; d++) {
		struct item *from = item;

		/* All may have the same. */
		if (k->count[d][digit_of(k, key_of(item), d)] == n)
			continue;
		move(k, from, other, n, d, k->count[d]);
		item = other;
		other = from;
	}
	settle(o, item, n, number);
	pm_big_free(room);
	free(k);
	return 0;
}
