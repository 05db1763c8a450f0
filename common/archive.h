/*
 * Members of a tar archive as a stream: nothing is unpacked. Programs only. The reader is
 * submit/archive.c; its interface is here because the wrapper prints metadata of archives, too.
 */
#ifndef PM_ARCHIVE_H
#define PM_ARCHIVE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Takes the regular files of an archive one after the other. `begin` gets the member's path as
 * it is in the archive, never absolute and without "..", and returns 1 to get its data, 0 to pass
 * over it. `end` gets false where the archive broke inside the member. `skipped` hears of every
 * member that cannot be taken: links, devices, unsafe paths. All but skipped return -1 with e
 * filled to stop.
 */
struct pm_archive_sink {
	int (*begin)(void *ctx, const char *path, struct pm_err *e);
	int (*data)(void *ctx, const char *p, size_t n, struct pm_err *e);
	int (*end)(void *ctx, bool whole, struct pm_err *e);
	void (*skipped)(void *ctx, const char *path, const char *why);
	void *ctx;
};

/*
 * Read an archive: pax, GNU or ustar, plain or compressed (submit/stream.h). What is damaged is
 * passed over where what follows can be found. Returns 0; 1 with e filled when it is cut or
 * damaged, or unpacks to more than max_unpacked (e names the member; what came before was handed
 * on); -1 with e filled when it could not be read at all or the sink stopped it.
 */
int pm_archive_read(const char *path, const struct pm_archive_sink *sink, struct pm_err *e);

/* The same for one that is open at its beginning; `path` is its name in messages. The descriptor
 * stays the caller's. */
int pm_archive_read_fd(int fd, const char *path, const struct pm_archive_sink *sink,
		       struct pm_err *e);

/* 1 when a name looks like that of an archive. */
int pm_archive_named(const char *path);

#endif
