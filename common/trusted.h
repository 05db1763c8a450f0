/* Open files safely in directories that may belong to another user, whatever that user has put
 * there. Programs only. */
#ifndef PM_COMMON_TRUSTED_H
#define PM_COMMON_TRUSTED_H

#include "common/err.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Open a file of a directory like openat(2), with the flags O_NOFOLLOW, O_NONBLOCK, O_NOCTTY and
 * O_CLOEXEC added. Refuses symbolic links, pipes, devices, and files of the wrong owner:
 *
 * - to write: accepts a file of the effective user, for root also one of the directory's owner. It
 *   must have no other hard link, which could lie elsewhere. O_TRUNC takes effect only after these
 *   checks.
 * - to read: a plain user may read any file. Root, in another user's directory, accepts only a file
 *   of root or of the directory's owner without another hard link; in a directory of root, any
 *   file.
 *
 * Returns the descriptor, or -1 with errno (ELOOP, EPERM, EMLINK, ...) and e, which may be NULL.
 */
int pm_trusted_open(int dir, const char *name, int flags, mode_t mode, struct pm_err *e);

/* Open a file of a directory with the checks of pm_trusted_open() to append to it; a missing file
 * is created with mode 0600. *size gets its size. Returns the descriptor, or -1 with errno and e.
 */
int pm_trusted_append(int dir, const char *name, off_t *size, struct pm_err *e);

/* Whether anybody but its owner may write to a file or directory: all, or a group that is not the
 * effective one, which users often have for themselves. */
bool pm_trusted_others_write(const struct stat *st);

/*
 * Resolve the path of a directory, and check that only root and the effective user, or that user's
 * effective group, can replace it: it and each directory above it belong to root or the user, and
 * others may write to none that is not sticky. Returns the path without links, to be freed by the
 * caller, or NULL with errno and e.
 */
char *pm_trusted_directory(const char *path, struct pm_err *e);

#endif
