/* Waits inside libc, and what they need to know of the waits that this library sees. */
#ifndef PM_INNER_H
#define PM_INNER_H

#include <sys/resource.h>

/*
 * Around a wait of the program's own: pm_inner_wait_begins before it, pm_inner_wait_done behind it,
 * `reaped` being the usage of the child that is gone, or NULL. A wait that is left by a jump makes
 * the usage of later waits inside libc unknown.
 */
void pm_inner_wait_begins(void);
void pm_inner_wait_done(const struct rusage *reaped);

/* The calling thread ends, be it by being cancelled in a wait. */
void pm_inner_thread_ends(void);

/* A fork child has no children, and none of its parent's threads. */
void pm_inner_reset(void);

#endif
