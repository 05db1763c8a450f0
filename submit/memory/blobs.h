/*
 * Store of byte strings for one job: append-only, read back by offset. Beyond a few megabytes the
 * store spills to an unlinked temporary file, so that memory stays flat.
 */
#ifndef PM_SUBMIT_MEMORY_BLOBS_H
#define PM_SUBMIT_MEMORY_BLOBS_H

#include "common/err.h"
#include "common/safe/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* Limit of the buffer in memory, and the longest item with its length. */
#define PM_BLOBS_BUFFER ((size_t)8 << 20)

struct pm_blobs {
	char *buffer;  /* the newest bytes */
	size_t cap;    /* grows up to 2 MB, or the longest item */
	size_t fill;   /* bytes used in buffer */
	uint64_t base; /* store offset of buffer[0]; everything before is in the file */
	int fd;        /* -1 while everything fits */
	struct pm_store_writer *writer; /* writes what precedes buffer to the file, or NULL */
	char *map;                      /* read-only map of the file's first bytes */
	uint64_t mapped;
	char *window;       /* part of the file that pm_blobs_walk reads from */
	uint64_t window_at; /* store offset of window[0] */
	size_t window_n;
	int sick; /* an earlier write failed: the store is incomplete */
};

/* Start empty. Nothing is allocated yet. */
void pm_blobs_init(struct pm_blobs *s);

/* Free the store; an all-zero struct is allowed. */
void pm_blobs_free(struct pm_blobs *s);

/*
 * Append an item of `n` bytes. Returns its offset, which is never 0, or 0 with e filled: too long,
 * no memory, the temporary directory is full.
 */
uint64_t pm_blobs_put(struct pm_blobs *s, const void *p, size_t n, struct pm_err *e);

/* Read the item at an offset that pm_blobs_put returned. The item stays valid until the next
 * pm_blobs_put. Returns 0 or -1 with e filled. */
int pm_blobs_get(struct pm_blobs *s, uint64_t offset, struct pm_str *item, struct pm_err *e);

/* Like pm_blobs_get, for reading items sequentially in the order of their offsets: an item stays
 * valid, and in memory, only until the next read. */
int pm_blobs_walk(struct pm_blobs *s, uint64_t offset, struct pm_str *item, struct pm_err *e);

/* Give the disk space of a range of offsets back, where the file system can: its items must not be
 * read again. */
void pm_blobs_forget(struct pm_blobs *s, uint64_t from, uint64_t to);

/* pm_blobs_next: offset of the item after `item`. pm_blobs_end: offset at which the store ends. */
uint64_t pm_blobs_next(uint64_t offset, struct pm_str item);
uint64_t pm_blobs_end(const struct pm_blobs *s);

/* Offset of the first item. */
#define PM_BLOBS_FIRST ((uint64_t)1)

#endif
