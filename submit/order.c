/*
 * Sorted by the bytes of the keys, the last one first, each time keeping the order of what has the
 * same byte. The things themselves, of which there may be more than memory, are looked at once
 * each.
 */
#include "config.h"

#include "submit/order.h"

#include "submit/big.h"

#include <stdlib.h>
#include <string.h>

/* So few are compared with each other. */
#define FEW 256

#define BYTES 16 /* of a key */

/* Blocks up to this size are plain memory: they are gone soon. */
#define SMALL ((size_t)4 << 20)

struct item {
	uint64_t key[2];
	uint32_t number;
};

static unsigned byte_of(const struct item *x, unsigned b)
{
	return x->key[1 - b / 8] >> (b % 8 * 8) & 0xff;
}

static struct item *new_items(size_t n)
{
	return n * sizeof(struct item) <= SMALL ? malloc(n * sizeof(struct item))
						: pm_big_calloc(n, sizeof(struct item));
}

/* Items lie one after the other: it is enough to think of memory now and then. */
static void trim(size_t k)
{
	if (k % 64 == 0)
		pm_big_trim();
}

static void fill(const struct pm_order *o, const uint32_t *number, size_t n, struct item *item,
		 uint32_t count[BYTES][256])
{
	for (size_t k = 0; k < n; k++) {
		struct item *x = &item[k];

		pm_big_trim();
		x->number = number[k];
		o->key(o->ctx, number[k], x->key);
		for (unsigned b = 0; b < BYTES; b++)
			count[b][byte_of(x, b)]++;
	}
}

/* Put items in the order of a byte, of whose values there are so many each. */
static void move(const struct item *from, struct item *to, size_t n, unsigned b, uint32_t *count)
{
	uint32_t next = 0;

	for (unsigned v = 0; v < 256; v++) {
		uint32_t so_many = count[v];

		count[v] = next;
		next += so_many;
	}
	for (size_t k = 0; k < n; k++) {
		trim(k);
		to[count[byte_of(&from[k], b)]++] = from[k];
	}
}

/* Take the numbers over, sorting those of the same key. */
static void settle(const struct pm_order *o, const struct item *item, size_t n, uint32_t *number)
{
	size_t first = 0;

	for (size_t k = 0; k < n; k++) {
		trim(k);
		number[k] = item[k].number;
		if (k + 1 < n && memcmp(item[k].key, item[k + 1].key, sizeof item[k].key) == 0)
			continue;
		if (k > first)
			qsort_r(number + first, k + 1 - first, sizeof number[0], o->compare,
				o->ctx);
		first = k + 1;
	}
}

int pm_order_sort(const struct pm_order *o, uint32_t *number, size_t n, struct pm_err *e)
{
	struct item *item, *other;
	uint32_t(*count)[256];
	int rc = -1;

	if (n <= FEW) {
		if (n > 1)
			qsort_r(number, n, sizeof number[0], o->compare, o->ctx);
		return 0;
	}
	item = new_items(n);
	other = new_items(n);
	count = calloc(BYTES, sizeof count[0]);
	if (item && other && count) {
		fill(o, number, n, item, count);
		for (unsigned b = 0; b < BYTES; b++) {
			struct item *from = item;

			/* All may have the same. */
			if (count[b][byte_of(item, b)] == n)
				continue;
			move(from, other, n, b, count[b]);
			item = other;
			other = from;
		}
		settle(o, item, n, number);
		rc = 0;
	}
	pm_big_free(item);
	pm_big_free(other);
	free(count);
	return rc < 0 ? pm_err(e, "out of memory") : 0;
}
