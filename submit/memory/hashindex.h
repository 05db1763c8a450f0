/* A growing hash table that finds numbers, such as the places of an array, by a hash whose owner
 * then looks whether they are the ones meant: eight bytes each. Programs only. */
#ifndef PM_INDEX_H
#define PM_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct pm_index {
	uint64_t *entry;  /* upper half of the hash, and the number plus one; 0: free */
	size_t used, cap; /* cap is a power of two */
};

/*
 * Walk the numbers under a hash, and rarely one of another: *at is 0 at first and kept by the
 * caller. Returns the next number, or UINT32_MAX when there is none.
 */
uint32_t pm_index_next(const struct pm_index *x, uint64_t hash, size_t *at);

/* Add a number below UINT32_MAX. Returns 0, or -1 without memory. */
int pm_index_add(struct pm_index *x, uint64_t hash, uint32_t number);

/* Free it; it is empty then. */
void pm_index_free(struct pm_index *x);

#endif
