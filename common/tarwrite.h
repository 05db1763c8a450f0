/* Writes a tar archive: ustar, with pax headers for what ustar cannot say. Programs only. */
#ifndef PM_TARWRITE_H
#define PM_TARWRITE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_tarwrite {
	int fd;
	void *gz;      /* zlib's stream where the archive is compressed */
	uint64_t left; /* bytes of the member that are still to come */
	unsigned pad;  /* zero bytes behind it */
	unsigned mode; /* of the members that follow; 0644 unless set */
	int64_t mtime; /* of the members that follow, seconds since 1970; may be set */
};

/* 1 where a name is one of an archive that this build can write: .tar, and .tar.gz and .tgz. */
int pm_tarwrite_can(const char *path);

/* Start an archive in an open file, which stays the caller's; compressed or not. Returns 0 or -1
 * with e filled. */
int pm_tarwrite_begin(struct pm_tarwrite *t, int fd, bool compressed, struct pm_err *e);

/* A regular file of `size` bytes begins; then come its bytes. Return 0 or -1 with e filled. */
int pm_tarwrite_member(struct pm_tarwrite *t, const char *path, uint64_t size, struct pm_err *e);
int pm_tarwrite_data(struct pm_tarwrite *t, const void *p, size_t n, struct pm_err *e);

/* The end of the archive, of which every byte is then on its way to the disk. Returns 0 or -1 with
 * e filled. */
int pm_tarwrite_end(struct pm_tarwrite *t, struct pm_err *e);

/* Free it without an end. */
void pm_tarwrite_free(struct pm_tarwrite *t);

#endif
