/* Waits inside libc, which must be told apart from the program's own waits. */
#ifndef PM_LIBPERFMON_HOOKS_SYSTEM_H
#define PM_LIBPERFMON_HOOKS_SYSTEM_H

#include <sys/resource.h>

/*
 * Around a wait of the program's own: pm_system_wait_begins before it, pm_system_wait_done after
 * it; `reaped` is the usage of the reaped child, or NULL. A wait that is left by a jump makes the
 * usage of later waits inside libc unknown.
 */
void pm_system_wait_begins(void);
void pm_system_wait_done(const struct rusage *reaped);

/* When the calling thread ends, also by cancellation in a wait. */
void pm_system_thread_ends(void);

/* In a fork child, which has no children, and none of its parent's threads. */
void pm_system_reset(void);

#endif
