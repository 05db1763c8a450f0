/*
 * Memory for what grows with a job, in place of malloc and its kin. A block that gets large is a
 * temporary file without a name, mapped: its pages can be let go of and come back when they are
 * looked at, so that a process loads a job that is larger than the memory it may use. Programs
 * with one thread only.
 */
#ifndef PM_BIG_H
#define PM_BIG_H

#include <stddef.h>

/* A zeroed block of count * size bytes. Returns NULL without memory. */
void *pm_big_calloc(size_t count, size_t size);

/* The same of one that is looked at everywhere all the time, such as a hash table: as long as such
 * blocks are few, their pages stay. It does not grow. */
void *pm_big_spread(size_t count, size_t size);

/* Make a block, NULL for a new one, n bytes long. Returns it, perhaps elsewhere, or NULL without
 * memory, when it stays as it is. */
void *pm_big_realloc(void *p, size_t n);

/* Free a block; NULL is fine. */
void pm_big_free(void *p);

/*
 * Let go of the pages of large blocks when there are many: to be called now and then while they are
 * walked through. Pointers stay valid.
 */
void pm_big_trim(void);

/* Map the first n bytes of a file to read, under the same rule; in place of `p`, an earlier map of
 * it, or NULL. Returns it, to be freed as a block, or NULL with errno set. */
void *pm_big_map(void *p, int fd, size_t n);

/* A file of our own without a name, in TMPDIR, /var/tmp or /tmp. Returns its descriptor or -1. */
int pm_big_file(void);

#endif
