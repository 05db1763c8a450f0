/* The threads of a process of this machine. */
#ifndef PM_SAMPLER_TREE_THREADS_H
#define PM_SAMPLER_TREE_THREADS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Call `each` with every thread of a process. That includes the leader, even when it has ended and
 * other threads run on. Returns the number of threads: 0 where the process is gone or unreadable.
 */
size_t pm_threads_each(pid_t pid, void (*each)(void *context, pid_t tid), void *context);

#endif
