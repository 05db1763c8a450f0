/*
 * Values of one series as databases store them, perfmon-schema(5): a block has the first value, and
 * for each later one a deviation. A value is the one before plus step * (base + deviation); the
 * deviations are coded as bytes. Integers only, so that SQL computes the same values.
 */
#ifndef PM_COMMON_RECORD_SAMPLEBLOCK_H
#define PM_COMMON_RECORD_SAMPLEBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values in a block at most. */
#define PM_SAMPLEBLOCK_MAX 1024

/* Bytes that the coded deviations of n values take at most. */
#define PM_SAMPLEBLOCK_BYTES(n) (9 * (size_t)(n))

struct pm_sampleblock {
	int64_t first, step, base;
};

/* Whether a value can follow another in a block: their difference is less than 2^60, up or down. */
bool pm_sampleblock_follows(int64_t value, int64_t next);

/* Code n values, at least one, each of which follows the one before. Fills *b and `deviations`,
 * which has room for PM_SAMPLEBLOCK_BYTES(n). Returns the bytes used. */
size_t pm_sampleblock_encode(struct pm_sampleblock *b, const int64_t *value, size_t n,
			     uint8_t *deviations);

/* Decode n values. Returns 0, or -1 if these are not the deviations of n values. */
int pm_sampleblock_decode(const struct pm_sampleblock *b, const uint8_t *deviations, size_t bytes,
			  int64_t *value, size_t n);

#endif
