/* Do work in a child with a time limit. */
#ifndef PM_WRAPPER_PATIENCE_H
#define PM_WRAPPER_PATIENCE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Do the work in a child process: work(ctx, fd) writes its result to fd and returns 0, or not 0
 * where there is none. It has limit_us microseconds. Waiting for a CPU of a busy host is not
 * counted, up to ten times the limit; any other waiting is. A child that is late is killed.
 * Returns 0 with *text the result, ended by a NUL, and *size its bytes: for the caller to free; 1
 * where the work failed and has said why itself; -1 with e filled where it was late, or could not
 * begin.
 */
int pm_patience_run(int (*work)(void *ctx, int fd), void *ctx, int64_t limit_us, char **text,
		    size_t *size, struct pm_err *e);

#endif
