/* Waiting for another thread that is in the middle of writing. */
#ifndef PM_AWAIT_H
#define PM_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For a process about to end, or to become another program: sleep for a moment while another thread
 * is between taking a line upon itself and having it written, where it can do nothing else. Begin
 * with *until_ns of 0. Returns false when the wait has taken as long as it may; never waits again
 * then. Async-signal-safe.
 */
bool pm_await(int64_t *until_ns);

#endif
