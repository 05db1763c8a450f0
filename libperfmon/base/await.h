/* Waiting for another thread, never for long. */
#ifndef PM_LIBPERFMON_BASE_AWAIT_H
#define PM_LIBPERFMON_BASE_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sleep for a moment while another thread finishes a short step. A process about to end or to exec
 * waits for a thread that has claimed a line and not written it yet; a thread about to end waits
 * while an exec may still fail. Begin with *waited_ns of 0. Returns false, without a wait, once the
 * waits have taken a second, not counting how long the process was stopped. Async-signal-safe.
 */
bool pm_await(int64_t *waited_ns);

#endif
