/*
 * Hardware and software counters of each thread, by perf_event_open(2); what the kernel keeps for
 * every thread anyway, without.
 *
 * Life cycle: the events of an image are listed once, in the constructor. Each recorded thread
 * opens its own counters as it starts, in a place of its own: 0 for the main thread, else the
 * number of its slot. They are read as the thread or the image ends; what threads that ended have
 * counted is summed up for the image. A fork child opens its own, a vfork child leaves its parent's
 * alone, exec closes them.
 *
 * Descriptors are the program's: they lie where programs do not look (descriptors.h), are left out
 * where programs list theirs (listing.c), and before each read it is made sure that they are still
 * ours. What a program closed or replaced is unknown.
 */
#ifndef PM_COUNTERS_H
#define PM_COUNTERS_H

#include "common/record.h"
#include "libperfmon/settings.h"

#include <stdbool.h>

/*
 * List the events that PERFMON_EVENTS or else PERFMON_OPTIONS asks for, and open those of the main
 * thread. Nothing is done, and nothing costs anything later, where there are none.
 */
void pm_counters_begin(const struct pm_settings *s);

/*
 * Make room for the counters of threads, before the first but the main one is created. Returns 0,
 * or -1 where there is no memory; again does nothing. One thread at a time.
 */
int pm_counters_map(void);

/* Open the calling thread's counters. */
void pm_counters_open(uint32_t place);

/*
 * Read the counters of the thread `tid` at a place and set them in its record: of the caller, or of
 * one that lives while the image ends, of which files of /proc are read only if `files` allows it.
 * The text lives until the place is read again. Nothing is set where there are no events.
 */
void pm_counters_read(struct pm_record *r, uint32_t place, int tid, bool files);

/* Add what was read last of a place to the sums of the image; `living` where the thread was told of
 * by the image and lives on if that is taken back. */
void pm_counters_add(uint32_t place, bool living);

/* A thread that is not measured any more: what it counted is missing from the image's sums. */
void pm_counters_miss(void);

/* Close what the calling thread, which ends, has open, and what was read just before. */
void pm_counters_close(uint32_t place);

/*
 * Set the counters of the image: begin with the sums of the threads that were added, read and add
 * those of living ones, which stay as they are.
 */
void pm_counters_total_begin(void);
void pm_counters_total_add(uint32_t place, int tid);
void pm_counters_total_set(struct pm_record *r);

/* No counter has a lower descriptor; INT_MAX while nothing was opened. */
extern int pm_counters_lowest;

/* Whether a descriptor is a counter's, of any thread. Async-signal-safe, and writes nothing: a
 * vfork child may ask, of its own descriptors. */
bool pm_counters_hold(int fd);

/* The end of the image is taken back: leave out of its sums what was added of living threads. */
void pm_counters_take_back(void);

/* In a fork child: close the parent's and open the main thread's own. */
void pm_counters_fork_child(void);

#endif
