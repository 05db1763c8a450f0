/* Calling a library that allocates and locks, from hooks of the collector. */
#ifndef PM_PAPI_GUARD_H
#define PM_PAPI_GUARD_H

#include <stdbool.h>

/*
 * Call f(argument) inside a hook: one thread at a time, on a stack of its own, with errno kept and
 * the thread not to be cancelled. Returns whether it was called: not where another thread did not
 * come back for seconds, or without memory. Not for vfork and fork children.
 */
bool pm_papi_guard(void (*f)(void *argument), void *argument);

/*
 * Inside a hook: whether the program may be in a signal handler of its own, which interrupted it in
 * the middle of malloc for instance. While one runs its signal is blocked, unless it was installed
 * not to be.
 */
bool pm_papi_guard_in_handler(void);

#endif
