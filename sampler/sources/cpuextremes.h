/* How busy the busiest and the idlest CPU of the node were since the previous sample. */
#ifndef PM_SAMPLER_SOURCES_CPUEXTREMES_H
#define PM_SAMPLER_SOURCES_CPUEXTREMES_H

#include <stddef.h>
#include <stdint.h>

/* The times of a CPU in its previous sample, us; all 0: none. */
struct pm_cpuextremes_last {
	int64_t busy_us, idle_us;
};

/* All zero: no sample yet. */
struct pm_cpuextremes {
	struct pm_cpuextremes_last *last; /* by number of the CPU; owned */
	size_t capacity;
	size_t count;        /* CPUs of this sample whose use is known */
	int64_t most, least; /* if count > 0: shares of time in 0.01 % */
};

/* Begin a sample. */
void pm_cpuextremes_begin(struct pm_cpuextremes *x);

/* Take the times of a CPU since it was started, us. Its use is unknown in its first sample, where
 * its busy time falls, as when it was off in between, and without memory. */
void pm_cpuextremes_add(struct pm_cpuextremes *x, size_t cpu, int64_t busy_us, int64_t idle_us);

void pm_cpuextremes_free(struct pm_cpuextremes *x);

#endif
