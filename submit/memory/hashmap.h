/* A growing hash table from 64-bit hashes to 32-bit numbers. */
#ifndef PM_SUBMIT_MEMORY_HASHMAP_H
#define PM_SUBMIT_MEMORY_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_hashmap {
	uint64_t *hash;   /* 0: free */
	uint32_t *value;  /* NULL in a set of marks */
	size_t used, cap; /* cap is a power of two */
};

/* Mix more data into a hash; begin with any constant. */
uint64_t pm_hashmap_mix(uint64_t hash, uint64_t v);
uint64_t pm_hashmap_mix_bytes(uint64_t hash, const void *p, size_t n);

/*
 * Walk the entries of equal hash: *at is 0 at first and kept by the caller. Returns the next
 * entry's value, or UINT32_MAX at the end.
 */
uint32_t pm_hashmap_next(const struct pm_hashmap *s, uint64_t hash, size_t *at);

/* Add an entry. Returns 0, or -1 if out of memory. */
int pm_hashmap_add(struct pm_hashmap *s, uint64_t hash, uint32_t value);

/* Set of marks, entries without a value: add a mark, which returns the same as pm_hashmap_add(),
 * and test for one. A map holds either values or marks. */
int pm_hashmap_mark(struct pm_hashmap *s, uint64_t hash);
bool pm_hashmap_has(const struct pm_hashmap *s, uint64_t hash);

/* Free the map and make it empty. */
void pm_hashmap_free(struct pm_hashmap *s);

#endif
