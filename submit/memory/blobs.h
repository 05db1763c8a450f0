/*
 * Byte strings kept until a job is complete: appended in any number, read back by offset. Beyond a
 * few megabytes they go to an unlinked temporary file, so that memory stays flat. Programs only.
 */
#ifndef PM_STORE_H
#define PM_STORE_H

#include "common/err.h"
#include "common/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes kept in memory before they are written out, and the longest item. */
#define PM_STORE_MEMORY ((size_t)4 << 20)
#define PM_STORE_BUFFER ((size_t)8 << 20)

struct pm_store {
	char *buffer;  /* the newest bytes */
	size_t cap;    /* grows up to PM_STORE_MEMORY, or the longest item */
	size_t fill;   /* bytes in it */
	uint64_t base; /* offset of its first byte: what is before is in the file */
	int fd;        /* -1 while everything fits */
	struct pm_store_writer *writer; /* of the bytes before those in the buffer, or NULL */
	char *map;                      /* the file's first bytes, to read */
	uint64_t mapped;
	char *window;       /* bytes of the file that are being walked through */
	uint64_t window_at; /* offset of the first */
	size_t window_n;
	int sick; /* an earlier failure, kept: the store is incomplete */
};

/* Start empty. Nothing is allocated yet. */
void pm_store_init(struct pm_store *s);

/* Free what it holds; one of zeros alone is fine. */
void pm_store_free(struct pm_store *s);

/*
 * Append an item of `n` bytes. Returns its offset, which is never 0, or 0 with e filled: too long,
 * no memory, the temporary directory is full.
 */
uint64_t pm_store_put(struct pm_store *s, const void *p, size_t n, struct pm_err *e);

/* Read the item at an offset that pm_store_put returned; it stays there until the next one is put.
 * Returns 0 or -1 with e filled. */
int pm_store_get(struct pm_store *s, uint64_t offset, struct pm_str *item, struct pm_err *e);

/* The same of items that are read one after the other, as they lie: none of them stays longer than
 * until the next one is read, nor in memory. */
int pm_store_walk(struct pm_store *s, uint64_t offset, struct pm_str *item, struct pm_err *e);

/* Offset behind the item just read: that of the next one. *end of the store: pm_store_end. */
uint64_t pm_store_next(uint64_t offset, struct pm_str item);
uint64_t pm_store_end(const struct pm_store *s);

/* Offset of the first item. */
#define PM_STORE_FIRST ((uint64_t)1)

#endif
