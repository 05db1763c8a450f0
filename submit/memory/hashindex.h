/* Growing hash table from hashes to numbers, such as array indexes. An entry takes eight bytes and
 * keeps 32 bits of the hash; the caller checks whether a number found is the one meant. */
#ifndef PM_SUBMIT_MEMORY_HASHINDEX_H
#define PM_SUBMIT_MEMORY_HASHINDEX_H

#include <stddef.h>
#include <stdint.h>

struct pm_hashindex {
	uint64_t *entry;  /* upper half of the hash, then number + 1; 0: free */
	size_t used, cap; /* cap is a power of two */
};

/*
 * Walk the numbers of a hash, and rarely one of another hash. *at is 0 at first and kept by the
 * caller. Returns the next number, or UINT32_MAX at the end.
 */
uint32_t pm_hashindex_next(const struct pm_hashindex *x, uint64_t hash, size_t *at);

/* Add a number below UINT32_MAX. Returns 0, or -1 if out of memory. */
int pm_hashindex_add(struct pm_hashindex *x, uint64_t hash, uint32_t number);

/* Free the table and make it empty. */
void pm_hashindex_free(struct pm_hashindex *x);

#endif
