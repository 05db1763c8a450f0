/* Lines on their way to the record file. */
#ifndef PM_BATCH_H
#define PM_BATCH_H

#include "common/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Longest line a caller with little stack may add, in bytes. */
#define PM_BATCH_LINE_MAX 1536

/* Write this image's start record, or that it is excluded, with what it had used when it began. */
struct rusage;
void pm_batch_write_start(const struct rusage *used);

/* Write a record at once, behind what is waiting; `start`: that of an image's start. */
void pm_batch_write(const struct pm_record *r, bool start);

/* The same for the last record of an image: waits for another thread that is adding a line just
 * now, which will not live to write what is waiting. */
void pm_batch_write_last(const struct pm_record *r);

/* How many bytes pm_batch_write would write with this record, what is waiting included. */
size_t pm_batch_length(const struct pm_record *r);

/*
 * Keep a record of at most PM_BATCH_LINE_MAX bytes until enough are waiting or the image ends, if
 * nobody else writes it: `told` still is `from`, and becomes `to`. Returns whether it did. The
 * image must not end between that and the return.
 */
struct pm_claim {
	uint32_t *told, from, to;
};
bool pm_batch_add(const struct pm_record *r, const struct pm_claim *claim);

/* Make room for the lines of threads, which wait together. */
void pm_batch_expect_threads(void);

/* Forget what is waiting: the image is told of otherwise. */
void pm_batch_drop(void);

/* Forget what is waiting: a fork child inherited it from its parent, who will write it. */
void pm_batch_reset(void);

#endif
