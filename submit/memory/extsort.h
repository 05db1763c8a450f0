/* Sort record numbers by key: radix sort that spills to disk. */
#ifndef PM_SUBMIT_MEMORY_EXTSORT_H
#define PM_SUBMIT_MEMORY_EXTSORT_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* Inputs beyond 2^PM_EXTSORT_PART_BITS numbers are sorted in parts of that size, then merged. */
#define PM_EXTSORT_PART_BITS 16

struct pm_extsort {
	/* Leading 128 bits of record i's sort key, the more significant word first. */
	void (*key)(const void *ctx, uint32_t i, uint64_t key[2]);
	/* Full comparison of two numbers, in qsort_r(3)'s signature. */
	int (*compare)(const void *a, const void *b, void *ctx);
	void *ctx;
};

/* Sort n numbers. Cost is linear in n, except for records with equal keys. Returns 0 or -1 with e
 * filled. */
int pm_extsort_sort(const struct pm_extsort *o, uint32_t *number, size_t n, struct pm_err *e);

/* Map a signed number to a key word of the same order. */
static inline uint64_t pm_extsort_signed(int64_t v)
{
	return (uint64_t)v ^ (uint64_t)1 << 63;
}

#endif
