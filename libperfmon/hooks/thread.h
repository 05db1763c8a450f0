/* Threads: their records, and measurements of threads that are still alive. */
#ifndef PM_LIBPERFMON_HOOKS_THREAD_H
#define PM_LIBPERFMON_HOOKS_THREAD_H

#include "common/safe/record.h"

#include <stdbool.h>

/* Before the first thread is created: make the key and the table of threads, once. Returns whether
 * they are there. */
bool pm_thread_prepare(void);

/* In a new thread that has a slot: set the key whose destructor sees the thread end. Returns false
 * if out of memory. */
bool pm_thread_watch(void);

/*
 * Write the thread records of an image that had more than one thread and ends now: the caller's,
 * and those of the other threads, which are measured from /proc and not waited for. Adds what a
 * process total cannot take from getrusage (io and schedstat of every recorded thread) to `total`.
 */
void pm_thread_write_all(struct pm_record *total);

/*
 * Like pm_thread_write_all, but for an image that may continue: only adds to `total`; writes no
 * record and keeps no state for the end.
 */
void pm_thread_sum_all(struct pm_record *total);

/* After a failed exec: threads whose records the image wrote live on, and write their records again
 * as they end. */
void pm_thread_take_back(void);

/* Called in a fork child: its only thread is the caller, however many its parent had. */
void pm_thread_reset(void);

#endif
