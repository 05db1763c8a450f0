/* The busiest and the idlest CPU. */
#include "config.h"

#include "sampler/sources/cpuextremes.h"

#include <stdlib.h>
#include <string.h>

void pm_cpuextremes_begin(struct pm_cpuextremes *x)
{
	x->count = 0;
}

/* Make room for a CPU. Returns 0 or -1. */
static int make_room(struct pm_cpuextremes *x, size_t cpu)
{
	size_t capacity = x->capacity ? x->capacity : 16;
	struct pm_cpuextremes_last *more;

	if (cpu < x->capacity)
		return 0;
	while (capacity <= cpu)
		capacity *= 2;
	more = realloc(x->last, capacity * sizeof *more);
	if (!more)
		return -1;
	memset(more + x->capacity, 0, (capacity - x->capacity) * sizeof *more);
	x->last = more;
	x->capacity = capacity;
	return 0;
}

void pm_cpuextremes_add(struct pm_cpuextremes *x, size_t cpu, int64_t busy_us, int64_t idle_us)
{
	struct pm_cpuextremes_last *last;
	int64_t busy, idle, use;

	if (make_room(x, cpu) < 0)
		return;
	last = &x->last[cpu];
	busy = busy_us - last->busy_us;
	/* The kernel's idle times may fall a little. */
	idle = idle_us > last->idle_us ? idle_us - last->idle_us : 0;
	/* Within one tick of the kernel's clock nothing moves: the next sample will tell. */
	if (busy + idle <= 0 && busy >= 0)
		return;
	if ((last->busy_us || last->idle_us) && busy >= 0) {
		use = (int64_t)(10000 * (double)busy / (double)(busy + idle) + 0.5);
		x->most = x->count && x->most > use ? x->most : use;
		x->least = x->count && x->least < use ? x->least : use;
		x->count++;
	}
	*last = (struct pm_cpuextremes_last){ busy_us, idle_us };
}

void pm_cpuextremes_free(struct pm_cpuextremes *x)
{
	free(x->last);
	memset(x, 0, sizeof *x);
}
