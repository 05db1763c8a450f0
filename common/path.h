/* Paths. Programs only. */
#ifndef PM_PATH_H
#define PM_PATH_H

#include "common/err.h"

#include <sys/types.h>

/* What stands behind the last slash, a part of the path itself; all of it where nothing does. */
const char *pm_path_base(const char *path);

/* Create a directory and what is missing above it, 0700. One that is there is fine. Returns 0 or -1
 * with e filled. */
int pm_path_make(const char *path, struct pm_err *e);

/* Read up to size - 1 bytes of a small file, such as those of /proc, into `text`, and end them with
 * a NUL. Returns how many, or -1 with errno set. */
ssize_t pm_path_read(const char *path, char *text, size_t size);

#endif
