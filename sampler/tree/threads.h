/* The threads of a process of this machine. Programs only. */
#ifndef PM_THREADS_H
#define PM_THREADS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Call `each` with every thread of a process, its leader included, even one that has ended while
 * others run on. Returns how many there were: 0 where the process is gone or cannot be read.
 */
size_t pm_threads_each(pid_t pid, void (*each)(void *context, pid_t tid), void *context);

#endif
