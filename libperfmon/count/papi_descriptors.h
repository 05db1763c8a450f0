/*
 * The descriptors that PAPI opens in the program's process: moved out of the program's sight, and
 * known, so that a number which the program closed or uses for something else is not read.
 */
#ifndef PM_PAPI_DESCRIPTORS_H
#define PM_PAPI_DESCRIPTORS_H

#include "libperfmon/descriptors.h"

#define PM_PAPI_DESCRIPTORS_MAX 64

/* Those of one thread, or of the image. Zero is empty. */
struct pm_papi_descriptors {
	bool hardware; /* one of them counts in the processor */
	uint32_t count;
	struct {
		int fd;
		uint64_t id; /* the kernel's, of an event; 0 for another file */
		uint64_t dev, ino;
	} one[PM_PAPI_DESCRIPTORS_MAX];
};

/* Free numbers that are taken for a while. Zero is empty. */
struct pm_papi_filled {
	bool on;
	struct pm_descriptors room;
	uint64_t taken[64]; /* a bit for each number that is filled */
	uint64_t before;    /* a bit for each of the numbers behind these that the program has */
};

/* Take a new perf event over from its opener. Returns its new number, or a negative error number
 * with the old one closed. */
int pm_papi_descriptors_take(struct pm_papi_descriptors *d, const struct pm_papi_filled *f, int fd,
			     bool hardware);

/* Forget those that their opener closed again. */
void pm_papi_descriptors_settle(struct pm_papi_descriptors *d);

/* Whether all are still what was opened. */
bool pm_papi_descriptors_ours(const struct pm_papi_descriptors *d);

/* Whether a number is one of them, and still what was opened. */
bool pm_papi_descriptors_hold(const struct pm_papi_descriptors *d, int fd);

/* Close those that still are. */
void pm_papi_descriptors_close(struct pm_papi_descriptors *d);

/*
 * Take all numbers that programs look at, so that what a library opens in between and keeps open
 * lies behind them; where limits leave no room, none. Only while there is one thread. Behind it
 * what was opened is in d, close-on-exec.
 */
void pm_papi_descriptors_fill(struct pm_papi_filled *f);
void pm_papi_descriptors_unfill(struct pm_papi_filled *f, struct pm_papi_descriptors *d);

#endif
