/* Numbers drawn at random, the same ones each time: the same question has the same answer. */
#ifndef PM_ANALYSIS_NUMBERS_DRAWING_H
#define PM_ANALYSIS_NUMBERS_DRAWING_H

#include <stddef.h>
#include <stdint.h>

struct pm_drawing {
	uint64_t state;
};

void pm_drawing_begin(struct pm_drawing *d);

/* A number below n, which is not 0 and below 2^31: by xorshift64* (Vigna, An experimental
 * exploration of Marsaglia's xorshift generators, scrambled, 2016). */
size_t pm_drawing_below(struct pm_drawing *d, size_t n);

#endif
