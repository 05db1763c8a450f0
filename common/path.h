/* Functions on paths. Programs only. */
#ifndef PM_COMMON_PATH_H
#define PM_COMMON_PATH_H

#include "common/err.h"

#include <sys/types.h>

/* The text after the last slash, a part of the path itself; the whole path where nothing follows a
 * slash. */
const char *pm_path_base(const char *path);

/* Create a directory and its missing parents, mode 0700. An existing directory is no error. Returns
 * 0 or -1 with e filled. */
int pm_path_make(const char *path, struct pm_err *e);

/* Read up to size - 1 bytes of a small file, such as one in /proc, into `text` and add a NUL.
 * Returns the number of bytes, or -1 with errno set. */
ssize_t pm_path_read(const char *path, char *text, size_t size);

#endif
