/* Do work in a child process with a time limit. */
#ifndef PM_WRAPPER_PROCESS_PATIENCE_H
#define PM_WRAPPER_PROCESS_PATIENCE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Do the work in a child process: work(ctx, fd) writes its result to fd and returns 0, or not 0
 * without a result. The child has limit_us microseconds. Time spent waiting for a CPU of a busy
 * host does not count, up to ten times the limit; other waiting does. A late child is killed.
 * Returns 0 with *text the result with a NUL at its end, for the caller to free, and *size its
 * bytes; 1 if the work failed, after an error message of its own; -1 with e filled if the child was
 * late or could not be started.
 */
int pm_patience_run(int (*work)(void *ctx, int fd), void *ctx, int64_t limit_us, char **text,
		    size_t *size, struct pm_err *e);

#endif
