/* A growing hash table from 64-bit hashes to 32-bit numbers. Programs only. */
#ifndef PM_SET_H
#define PM_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_set {
	uint64_t *hash;   /* 0: free */
	uint32_t *value;  /* NULL in a set of marks alone */
	size_t used, cap; /* cap is a power of two */
};

/* Mix more into a hash; begin with any constant. */
uint64_t pm_set_mix(uint64_t hash, uint64_t v);
uint64_t pm_set_mix_bytes(uint64_t hash, const void *p, size_t n);

/*
 * Walk the entries of equal hash: *at is 0 at first and kept by the caller. Returns the next
 * entry's value, or UINT32_MAX when there is none.
 */
uint32_t pm_set_next(const struct pm_set *s, uint64_t hash, size_t *at);

/* Add an entry. Returns 0, or -1 without memory. */
int pm_set_add(struct pm_set *s, uint64_t hash, uint32_t value);

/* A set of marks, which have no value: add one, and whether one is there. Returns as above. */
int pm_set_mark(struct pm_set *s, uint64_t hash);
bool pm_set_has(const struct pm_set *s, uint64_t hash);

/* Free it. */
void pm_set_free(struct pm_set *s);

#endif
