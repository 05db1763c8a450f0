/*
 * Read the members of a tar archive as a stream, without unpacking the archive. The reader is
 * submit/input/archive.c; the interface is here because the wrapper also prints metadata from
 * archives. Programs only.
 */
#ifndef PM_COMMON_ARCHIVE_H
#define PM_COMMON_ARCHIVE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Receives the regular files of an archive one after the other. `begin` gets the member's path as
 * stored in the archive, never absolute and without "..", and returns 1 to receive the member's
 * data, 0 to skip the member. `end` gets false where the archive broke inside the member. `skipped`
 * is called for every member that cannot be read: links, devices, unsafe paths. All callbacks but
 * `skipped` return -1 with e filled to stop.
 */
struct pm_archive_sink {
	int (*begin)(void *ctx, const char *path, struct pm_err *e);
	int (*data)(void *ctx, const char *p, size_t n, struct pm_err *e);
	int (*end)(void *ctx, bool whole, struct pm_err *e);
	void (*skipped)(void *ctx, const char *path, const char *why);
	void *ctx;
};

/*
 * Read an archive: pax, GNU or ustar, plain or compressed (submit/input/stream.h). Damaged parts
 * are skipped where the next header can be found. Returns 0; 1 with e filled when the archive is
 * cut or damaged, or unpacks to more than max_unpacked (e names the member; the members before it
 * were handed to the sink); -1 with e filled when the archive could not be read at all or the sink
 * stopped it.
 */
int pm_archive_read(const char *path, const struct pm_archive_sink *sink, struct pm_err *e);

/* Read an archive from a descriptor positioned at its beginning; `path` is its name in messages.
 * The caller keeps the descriptor. */
int pm_archive_read_fd(int fd, const char *path, const struct pm_archive_sink *sink,
		       struct pm_err *e);

/* The errno of a read(2) that failed in the archive that was read last, 0 for none: what came is the
 * intact part of a file that may be whole. */
int pm_archive_errno(void);

/* 1 when the file name looks like that of an archive. */
int pm_archive_named(const char *path);

#endif
