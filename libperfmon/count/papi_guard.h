/* Call a library that allocates and locks, from hooks of the collector. */
#ifndef PM_LIBPERFMON_COUNT_PAPI_GUARD_H
#define PM_LIBPERFMON_COUNT_PAPI_GUARD_H

#include <stdbool.h>

/*
 * Call f(argument) inside a hook: one thread at a time, on a stack of its own, with errno kept and
 * cancellation disabled. Returns whether f was called: not if another thread held the lock for
 * seconds, nor if out of memory. Not for vfork and fork children.
 */
bool pm_papi_guard(void (*f)(void *argument), void *argument);

/*
 * Inside a hook: whether the program may be in a signal handler of its own, which interrupted it in
 * the middle of malloc for instance. While a handler runs its signal is blocked, unless it was
 * installed with SA_NODEFER.
 */
bool pm_papi_guard_in_handler(void);

#endif
