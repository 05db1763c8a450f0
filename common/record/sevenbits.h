/* Numbers in seven bits per byte, the lowest first; all bytes but the last have the top bit set. */
#ifndef PM_COMMON_RECORD_SEVENBITS_H
#define PM_COMMON_RECORD_SEVENBITS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that a number takes at most. */
#define PM_SEVENBITS_MAX 10

/* Write a number. Returns the place behind it. */
static inline uint8_t *pm_sevenbits_put(uint8_t *p, uint64_t u)
{
	for (; u >= 128; u >>= 7)
		*p++ = (uint8_t)(u | 128);
	*p++ = (uint8_t)u;
	return p;
}

/* Read a number of less than 63 bits and step over it. Returns whether there is one. */
static inline bool pm_sevenbits_get(const uint8_t **p, const uint8_t *end, uint64_t *u)
{
	*u = 0;
	for (int shift = 0; *p < end && shift < 63; shift += 7) {
		*u |= (uint64_t)(**p & 127) << shift;
		if (!(*(*p)++ & 128))
			return true;
	}
	return false;
}

#endif
