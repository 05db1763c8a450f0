/*
 * The descriptors that PAPI opens in the program's process: moved out of the program's sight, and
 * remembered, so that a number which the program closed or reused is not read.
 */
#ifndef PM_LIBPERFMON_COUNT_PAPI_DESCRIPTORS_H
#define PM_LIBPERFMON_COUNT_PAPI_DESCRIPTORS_H

#include "libperfmon/base/descriptors.h"

#define PM_PAPI_DESCRIPTORS_MAX 64

/* Descriptors of one thread, or of the image. A zeroed struct has none. */
struct pm_papi_descriptors {
	bool hardware; /* one of the events counts in the processor */
	uint32_t count;
	struct {
		int fd;
		uint64_t id; /* the kernel's, of an event; 0 for another file */
		uint64_t dev, ino;
	} one[PM_PAPI_DESCRIPTORS_MAX];
};

/* Free descriptor numbers that are occupied for a while. A zeroed struct occupies none. */
struct pm_papi_filled {
	bool on;
	struct pm_descriptors room;
	uint64_t taken[64]; /* bit n % 64 of word n / 64 is set if we occupy descriptor n */
	uint64_t before;    /* bit i is set if the program has descriptor room.base + i open */
};

/* Take a new perf event over from its opener. Returns its new number, or a negative error number
 * with the old one closed. */
int pm_papi_descriptors_take(struct pm_papi_descriptors *d, const struct pm_papi_filled *f, int fd,
			     bool hardware);

/* Forget descriptors that PAPI has closed again. */
void pm_papi_descriptors_settle(struct pm_papi_descriptors *d);

/* Whether all descriptors are still the files that PAPI opened. */
bool pm_papi_descriptors_ours(const struct pm_papi_descriptors *d);

/* Whether a number is one of the descriptors, and still the file that PAPI opened. */
bool pm_papi_descriptors_hold(const struct pm_papi_descriptors *d, int fd);

/* Close the descriptors that are still the files that PAPI opened. */
void pm_papi_descriptors_close(struct pm_papi_descriptors *d);

/*
 * Occupy all free numbers that programs look at, so that files which a library opens before
 * pm_papi_descriptors_unfill lie after them; occupies none if limits leave no room. Only while
 * there is one thread. pm_papi_descriptors_unfill adds these files to d, close-on-exec.
 */
void pm_papi_descriptors_fill(struct pm_papi_filled *f);
void pm_papi_descriptors_unfill(struct pm_papi_filled *f, struct pm_papi_descriptors *d);

#endif
