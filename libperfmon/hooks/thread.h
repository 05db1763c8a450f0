/* Threads: their records, and what is known of those still alive. */
#ifndef PM_THREAD_H
#define PM_THREAD_H

#include "common/record.h"

#include <stdbool.h>

/* Before the first thread is created: make the key and the table of threads, once. Returns whether
 * they are there. */
bool pm_thread_prepare(void);

/* In a new thread that has a slot: see to it that its end is seen. Returns false where there is no
 * memory for that. */
bool pm_thread_watch(void);

/*
 * Write the thread records of an image that had more than one thread and ends now: the caller's,
 * and those of the others, which are read from /proc and never waited for. Adds what a process
 * total cannot take from getrusage (io and schedstat of every recorded thread) to `total`.
 */
void pm_thread_write_all(struct pm_record *total);

/*
 * Add the same to the total of an image that may go on: no record is written, and nothing is noted
 * down for the end.
 */
void pm_thread_sum_all(struct pm_record *total);

/* The exec that the image ended by has failed: those that it told of live on, and write their
 * records as they end after all. */
void pm_thread_take_back(void);

/* A fork child has one thread, the caller, whatever its parent had. */
void pm_thread_reset(void);

#endif
