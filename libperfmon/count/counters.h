/*
 * Hardware and software counters of each thread, by perf_event_open(2); counters that the kernel
 * keeps for every thread anyway are read without it.
 *
 * Life cycle: the events of an image are listed once, in the constructor. Each recorded thread
 * opens its own counters as it starts, in a place of its own: 0 for the main thread, else the
 * number of its slot. Counters are read as the thread or the image ends; the counts of ended
 * threads are summed up for the image. A fork child opens its own counters, a vfork child leaves
 * its parent's alone, exec closes them.
 *
 * The program owns the table of descriptors: ours lie where programs do not look (descriptors.h),
 * are left out when programs list theirs (listing.c), and are checked before each read. The count
 * of a descriptor that the program closed or replaced is unknown.
 */
#ifndef PM_LIBPERFMON_COUNT_COUNTERS_H
#define PM_LIBPERFMON_COUNT_COUNTERS_H

#include "common/safe/record.h"
#include "libperfmon/base/settings.h"

#include <stdbool.h>

/*
 * List the events that PERFMON_EVENTS or else PERFMON_OPTIONS asks for, and open the main thread's
 * counters. Without events this does nothing, and nothing costs anything later.
 */
void pm_counters_begin(const struct pm_settings *s);

/*
 * Make room for the counters of threads, once, before the first thread but the main one is created.
 * Returns 0, or -1 if out of memory. Only one thread at a time may call this.
 */
int pm_counters_map(void);

/* Open the calling thread's counters. */
void pm_counters_open(uint32_t place);

/*
 * Read the counters of the thread `tid` at a place and set them in its record. The thread is the
 * caller, or lives while the image ends: then files of /proc are read only if `files` allows it.
 * The text lives until the place is read again. Without events nothing is set.
 */
void pm_counters_read(struct pm_record *r, uint32_t place, int tid, bool files);

/* Add the last reading of a place to the sums of the image; `living` if the image wrote the
 * thread's record, and the thread lives on if the image's end is taken back. */
void pm_counters_add(uint32_t place, bool living);

/* Note that a thread cannot be measured: its counts are missing from the image's sums. */
void pm_counters_miss(void);

/* Close the counters of the calling thread, which ends and has just been read. */
void pm_counters_close(uint32_t place);

/*
 * Set the counters of the image: begin with the sums of the threads that were added, read and add
 * the counters of living threads, which stay as they are.
 */
void pm_counters_total_begin(void);
void pm_counters_total_add(uint32_t place, int tid);
void pm_counters_total_set(struct pm_record *r);

/* Lower bound of the counters' descriptors; INT_MAX while nothing was opened. */
extern int pm_counters_lowest;

/* Whether a descriptor is a counter's, of any thread. Async-signal-safe, and writes nothing: a
 * vfork child may call this, for its own descriptors. */
bool pm_counters_hold(int fd);

/* When the end of the image is taken back: remove the counts of living threads from its sums. */
void pm_counters_take_back(void);

/* In a fork child: close the parent's counters, and open counters of the main thread. */
void pm_counters_fork_child(void);

#endif
