/* Forks by clone(2) and by raw system calls. */
#ifndef PM_LIBPERFMON_HOOKS_CLONE_H
#define PM_LIBPERFMON_HOOKS_CLONE_H

#include <stdbool.h>

/* Whether a raw system call with these arguments may create a child that returns from the call with
 * its own memory and stack, as after fork. Follows no bad pointer. */
bool pm_clone_forks(long nr, long a, long b);

#endif
