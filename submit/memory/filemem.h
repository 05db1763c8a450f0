/*
 * Memory for data that grows with a job, in place of malloc(3). A large block is a mapped temporary
 * file without a name: its pages can be dropped and are read back on access, so that a process can
 * load a job larger than its memory limit. Any thread may call these functions, for a block one at
 * a time.
 */
#ifndef PM_SUBMIT_MEMORY_FILEMEM_H
#define PM_SUBMIT_MEMORY_FILEMEM_H

#include <stddef.h>

/* A zeroed block of count * size bytes, or NULL if out of memory. */
void *pm_filemem_calloc(size_t count, size_t size);

/* Like pm_filemem_calloc for a block with random access, such as a hash table: while such blocks
 * are few, pm_filemem_trim keeps their pages. The block must not be resized. */
void *pm_filemem_spread(size_t count, size_t size);

/* Resize a block to n bytes; `p` NULL allocates. Returns the block, perhaps moved, or NULL if out
 * of memory, leaving the old block as it was. */
void *pm_filemem_realloc(void *p, size_t n);

/* Free a block; NULL is fine. */
void pm_filemem_free(void *p);

/*
 * Drop resident pages of large blocks if there are many. Call this now and then while walking
 * through blocks. Pointers stay valid.
 */
void pm_filemem_trim(void);

/* Map the first n bytes of a file read-only; pm_filemem_trim drops its pages, too. The map replaces
 * `p`, an earlier map of the file, or NULL. Returns the map, to be freed as a block, or NULL with
 * errno set. */
void *pm_filemem_map(void *p, int fd, size_t n);

/* Look TMPDIR up now, and never again: for a program in which one thread creates files while
 * another changes the environment. */
void pm_filemem_prepare(void);

/* Create a temporary file without a name, in TMPDIR, /var/tmp or /tmp. Returns its descriptor or
 * -1. */
int pm_filemem_file(void);

#endif
