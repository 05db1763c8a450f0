/* Open files in directories that may be another user's, whatever that user has put there. Programs
 * only. */
#ifndef PM_TRUSTED_H
#define PM_TRUSTED_H

#include "common/err.h"

#include <sys/types.h>

/*
 * Open a file of a directory as openat(2) does, of the flags O_NOFOLLOW, O_NONBLOCK, O_NOCTTY and
 * O_CLOEXEC added; neither a link, nor a pipe or device, nor what its owner may not have:
 *
 * - to write: a file of ours, as root also one of the directory's owner, with no other name, which
 *   could be that of a file elsewhere. With O_TRUNC it is emptied once it is known to be one.
 * - to read: as a plain user any; as root one of root's or of the directory's owner with no other
 * name where the directory is another user's, any in a directory of root's own.
 *
 * Returns the descriptor, or -1 with errno (ELOOP, EPERM, EMLINK, ...) and e, which may be NULL.
 */
int pm_trusted_open(int dir, const char *name, int flags, mode_t mode, struct pm_err *e);

/* Open a file of a directory so to append to it; made with mode 0600 where it is missing. *size
 * gets its size. Returns the descriptor, or -1 with errno and e. */
int pm_trusted_append(int dir, const char *name, off_t *size, struct pm_err *e);

#endif
