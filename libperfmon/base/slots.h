/* The slots of live threads: taken before a thread is created, given back as it ends. */
#ifndef PM_SLOTS_H
#define PM_SLOTS_H

#include "libperfmon/state.h"

/* Threads alive at once that get a record; further ones run unrecorded, but counted. */
#define PM_SLOTS 8192

/* Who writes a thread's record: it may end while the image does. */
enum pm_teller {
	PM_TOLD_BY_NOBODY,
	PM_TOLD_BY_ITSELF, /* its line is on its way */
	PM_TOLD_BY_IMAGE,
	PM_TOLD /* by itself, and the line is where the image finds it */
};

/* The teller is in the low bits of a word; above them the threads that had the slot are counted, so
 * that nobody takes one thread for the next. */
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

/* Map the table. Returns 0 or -1 where there is no memory; again does nothing. One thread at a
 * time. */
int pm_slots_map(void);

/* Take a free slot. Returns its number, from 1, or 0 when all are taken. Lock-free. */
uint32_t pm_slots_take(void);

/* Give a slot back. Lock-free. */
void pm_slots_give(uint32_t number);

/* The slot of a number. */
struct pm_slot *pm_slots_get(uint32_t number);

/* The number of a slot. */
uint32_t pm_slots_number(const struct pm_slot *s);

/* The highest number that was ever taken. */
uint32_t pm_slots_used(void);

/* Forget all: a fork child has none of its parent's threads. */
void pm_slots_reset(void);

#endif
