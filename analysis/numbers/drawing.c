/* Draw numbers at random. */
#include "config.h"

#include "analysis/numbers/drawing.h"

void pm_drawing_begin(struct pm_drawing *d)
{
	d->state = UINT64_C(88172645463325252);
}

size_t pm_drawing_below(struct pm_drawing *d, size_t n)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (size_t)((d->state * UINT64_C(2685821657736338717)) >> 33) % n;
}
