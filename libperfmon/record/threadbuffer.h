/* Lines on their way to the record file. */
#ifndef PM_LIBPERFMON_RECORD_THREADBUFFER_H
#define PM_LIBPERFMON_RECORD_THREADBUFFER_H

#include "common/safe/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Longest line a caller with little stack may add, in bytes. */
#define PM_THREADBUFFER_LINE_MAX 1536

/* Write this image's start record, or its `excluded` record, with what the process had used when
 * the image began. */
struct rusage;
void pm_threadbuffer_write_start(const struct rusage *used);

/* Write a record at once, after the waiting lines; `start`: an image's start record. */
void pm_threadbuffer_write(const struct pm_record *r, bool start);

/* Like pm_threadbuffer_write, but for the last record of an image: waits for another thread that is
 * adding a line just now, and will not live to write the waiting lines. */
void pm_threadbuffer_write_last(const struct pm_record *r);

/* How many bytes pm_threadbuffer_write would write with this record, waiting lines included. */
size_t pm_threadbuffer_length(const struct pm_record *r);

/*
 * Keep a record of at most PM_THREADBUFFER_LINE_MAX bytes until enough lines are waiting or the
 * image ends, if this thread can claim it: *told is still `from`, and becomes `to`. Returns whether
 * the claim succeeded. The image must not end between the claim and the return.
 */
struct pm_claim {
	uint32_t *told, from, to;
};
bool pm_threadbuffer_add(const struct pm_record *r, const struct pm_claim *claim);

/* Enlarge the buffer, as threads will soon add lines to it. */
void pm_threadbuffer_expect_threads(void);

/* Drop the waiting lines: the image is counted in the tally. */
void pm_threadbuffer_drop(void);

/* In a fork child: drop the waiting lines, which the parent will write. */
void pm_threadbuffer_reset(void);

#endif
