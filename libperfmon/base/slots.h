/* The slots of live threads: taken before a thread is created, given back as it ends. */
#ifndef PM_LIBPERFMON_BASE_SLOTS_H
#define PM_LIBPERFMON_BASE_SLOTS_H

#include "libperfmon/base/state.h"

/* Threads alive at once that get a record; further ones run unrecorded, but counted. */
#define PM_SLOTS 8192

/* Writer of a thread's record: the thread, or the image, if both end at the same time. */
enum pm_teller {
	PM_TOLD_BY_NOBODY,
	PM_TOLD_BY_ITSELF, /* the thread has claimed its record, and is writing the line */
	PM_TOLD_BY_IMAGE,
	PM_TOLD /* the thread's line is in the batch, where the image finds it, or written */
};

/* Mask of the teller in the low bits of a word. The higher bits count the threads that had the
 * slot, so that a thread is not mistaken for the next one. */
#define PM_TELLER 3

struct pm_slot {
	union {
		void *(*posix)(void *);
		int (*c11)(void *);
	} function;
	void *argument;
	int tid; /* 0 while free or not started yet */
	uint32_t next_free;
	uint32_t told;     /* see PM_TELLER */
	int64_t before_ns; /* CLOCK_BOOTTIME before the thread was created */
	struct pm_moment start;
};

/* Map the table on the first call. Returns 0, or -1 if out of memory. Only one thread at a time may
 * call this. */
int pm_slots_map(void);

/* Take a free slot. Returns its number, from 1, or 0 when all are taken. Lock-free. */
uint32_t pm_slots_take(void);

/* Give a slot back. Lock-free. */
void pm_slots_give(uint32_t number);

/* The slot with this number. */
struct pm_slot *pm_slots_get(uint32_t number);

/* The number that pm_slots_take returned for this slot. */
uint32_t pm_slots_number(const struct pm_slot *s);

/* The highest number that was ever taken. */
uint32_t pm_slots_used(void);

/* Free all slots: a fork child has none of its parent's threads. */
void pm_slots_reset(void);

#endif
