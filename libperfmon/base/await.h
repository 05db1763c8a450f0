/* Waiting for another thread, never for long. */
#ifndef PM_AWAIT_H
#define PM_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sleep for a moment while another thread does what is over soon: a process about to end, or to
 * become another program, while a thread is between taking a line upon itself and having it
 * written; a thread about to end while an exec may yet fail. Begin with *waited_ns of 0. Returns
 * false when the waits have taken a second, not counting how long the process was stopped; never
 * waits again then. Async-signal-safe.
 */
bool pm_await(int64_t *waited_ns);

#endif
