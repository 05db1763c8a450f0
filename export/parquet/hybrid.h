/*
 * Parquet's hybrid of runs and packed bits (encoding RLE), for levels and for numbers of dictionary
 * entries: values that repeat are a run, others are packed in groups of eight.
 */
#ifndef PM_EXPORT_PARQUET_HYBRID_H
#define PM_EXPORT_PARQUET_HYBRID_H

#include "common/bytes.h"

struct pm_hybrid {
	struct pm_bytes *out;
	unsigned width; /* bits of a value: 1 to 32 */
	uint32_t value; /* of the run that goes on */
	size_t run;
	uint32_t group[8]; /* values of the group that is being filled */
	unsigned filled;
	unsigned groups; /* packed ones since their header, which is at head */
	size_t head;
};

/* Bits that values up to `most` need; 1 at least, as some readers do not take 0. */
unsigned pm_hybrid_width(uint32_t most);

/* Begin; `out` outlives it and gets nothing else until pm_hybrid_end. */
void pm_hybrid_begin(struct pm_hybrid *h, struct pm_bytes *out, unsigned width);

/* Write what a run of other values ends. */
void pm_hybrid_end_run(struct pm_hybrid *h);

/* Add a value n times. */
static inline void pm_hybrid_add(struct pm_hybrid *h, uint32_t value, size_t n)
{
	if (value == h->value) {
		h->run += n;
		return;
	}
	pm_hybrid_end_run(h);
	h->value = value;
	h->run = n;
}

/* Write what is left: zeros fill up the last group. */
void pm_hybrid_end(struct pm_hybrid *h);

#endif
