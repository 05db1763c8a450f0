/* Write a tar archive: ustar, with pax headers for values that ustar cannot hold. Programs only. */
#ifndef PM_COMMON_TARWRITE_H
#define PM_COMMON_TARWRITE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_tarwrite {
	int fd;
	void *gz;      /* zlib's stream where the archive is compressed */
	uint64_t left; /* bytes of the member not yet written */
	unsigned pad;  /* zero bytes after the member */
	unsigned mode; /* file mode of the following members; 0644 unless set */
	int64_t mtime; /* modification time of the following members, seconds since 1970; may be set
			*/
};

/* 1 when the file name is that of an archive that this build can write: .tar, and with zlib .tar.gz
 * and .tgz. */
int pm_tarwrite_can(const char *path);

/* Start an archive, compressed or not, in an open file; the caller keeps the descriptor. Returns 0
 * or -1 with e filled. */
int pm_tarwrite_begin(struct pm_tarwrite *t, int fd, bool compressed, struct pm_err *e);

/* Begin a regular file of `size` bytes, then write its data. Both return 0 or -1 with e filled. */
int pm_tarwrite_member(struct pm_tarwrite *t, const char *path, uint64_t size, struct pm_err *e);
int pm_tarwrite_data(struct pm_tarwrite *t, const void *p, size_t n, struct pm_err *e);

/* Finish the archive and flush it to disk (fsync(2)). Returns 0 or -1 with e filled. */
int pm_tarwrite_end(struct pm_tarwrite *t, struct pm_err *e);

/* Free the state of an archive without finishing it. */
void pm_tarwrite_free(struct pm_tarwrite *t);

#endif
