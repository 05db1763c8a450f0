/* A directory with requests that could not be sent yet, a file each. */
#ifndef PM_EXPORT_BULK_SPOOL_H
#define PM_EXPORT_BULK_SPOOL_H

#include "common/bytes.h"
#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

struct pm_bulkspool {
	const char *path;
	int dir, lock;
	int64_t limit;   /* bytes of all files */
	unsigned number; /* of files of this process so far */
};

/* Open the directory, which is made where it is missing, for its owner alone. `path` outlives it.
 * Returns 0, or -1 with e filled. */
int pm_bulkspool_open(struct pm_bulkspool *s, const char *path, int64_t limit, struct pm_err *e);
void pm_bulkspool_close(struct pm_bulkspool *s);

/* Add a request, on the disk when this returns. Returns 0, or -1 with e filled: what is there and
 * the request would be more than the limit. */
int pm_bulkspool_add(struct pm_bulkspool *s, const void *p, size_t n, struct pm_err *e);

/* Read the names of all files, the oldest first. *name and its n texts are to be freed in either
 * case. Returns 0, or -1 with e filled. */
int pm_bulkspool_list(const struct pm_bulkspool *s, char ***name, size_t *n, struct pm_err *e);

/* Read a file of at most so many bytes. Returns 1, 0 where it is gone, or -1 with e filled. */
int pm_bulkspool_read(const struct pm_bulkspool *s, const char *name, size_t most,
		      struct pm_bytes *to, struct pm_err *e);

/* Remove a file, which may be gone. Returns 0, or -1 with e filled. */
int pm_bulkspool_remove(const struct pm_bulkspool *s, const char *name, struct pm_err *e);

#endif
