/* Wait for files that come into a directory, and for signals. Programs only. */
#ifndef PM_COMMON_DIRWATCH_H
#define PM_COMMON_DIRWATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Start to watch a directory for files that were written or renamed into it, inotify(7). Returns a
 * descriptor, to be closed, or -1: nothing will tell of files. */
int pm_dirwatch_begin(const char *path);

/* Wait until a file has come, a signal that `waiting` lets through, or `us` microseconds passed.
 * Without a descriptor, -1, only the last two. Returns whether a file has come. */
bool pm_dirwatch_wait(int fd, int64_t us, const sigset_t *waiting);

#endif
