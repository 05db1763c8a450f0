/* Blocks of a tar archive, through libtar if the build has it. */
#ifndef PM_SUBMIT_INPUT_TARBLOCKS_H
#define PM_SUBMIT_INPUT_TARBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes of a block. */
#define PM_TARBLOCKS_SIZE 512

/* Read n bytes of the archive. Returns their number, fewer only at the end, or -1. */
typedef ssize_t pm_tarblocks_fn(void *ctx, void *p, size_t n);

struct pm_tarblocks;

/* Begin to read the archive named `path` through `read`. Returns NULL with errno set. Only one
 * archive can be open at a time. */
struct pm_tarblocks *pm_tarblocks_open(const char *path, pm_tarblocks_fn *read, void *ctx);

/* Read the next block to p. Returns PM_TARBLOCKS_SIZE, fewer bytes at the end, or -1. */
ssize_t pm_tarblocks_read(struct pm_tarblocks *t, char p[PM_TARBLOCKS_SIZE]);

/* The block in which headers are kept, for pm_tarblocks_read() and pm_tarblocks_sums(). */
char *pm_tarblocks_header(struct pm_tarblocks *t);

/* Whether `sum` is the check sum of the header block, summed as signed or unsigned bytes. */
bool pm_tarblocks_sums(struct pm_tarblocks *t, int sum);

void pm_tarblocks_close(struct pm_tarblocks *t);

#endif
