/* Forks by clone(2) and by raw system calls. */
#ifndef PM_CLONE_H
#define PM_CLONE_H

#include <stdbool.h>

/* Whether a raw system call with these arguments may make a child that comes back from the call
 * with memory and a stack of its own, as fork does. Touches no memory that is not there. */
bool pm_clone_forks(long nr, long a, long b);

#endif
