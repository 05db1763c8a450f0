/* Numbers of things in the order of these. Programs only. */
#ifndef PM_ORDER_H
#define PM_ORDER_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* Of more than 2 to so many, parts of so many are sorted by themselves. */
#define PM_ORDER_PART_BITS 16

struct pm_order {
	/* What comes first in the order, as two words, the more significant one first. */
	void (*key)(const void *ctx, uint32_t i, uint64_t key[2]);
	/* The whole of it, of pointers to two numbers, as qsort_r wants it. */
	int (*compare)(const void *a, const void *b, void *ctx);
	void *ctx;
};

/* Sort n numbers. Cost grows with n but for what has the same key. Returns 0 or -1 with e filled.
 */
int pm_order_sort(const struct pm_order *o, uint32_t *number, size_t n, struct pm_err *e);

/* A signed number as a word of a key. */
static inline uint64_t pm_order_signed(int64_t v)
{
	return (uint64_t)v ^ (uint64_t)1 << 63;
}

#endif
