/* Facts about this host and its processes, from /proc. */
#ifndef PM_WRAPPER_NODE_HOST_H
#define PM_WRAPPER_NODE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read the first `size` - 1 bytes of a file. Returns the length of the text, or -1. */
ssize_t pm_host_text(const char *path, char *buf, size_t size);

/* Start time of a process in clock ticks after boot (proc(5), stat field 22); -1: unknown. */
int64_t pm_host_starttime(int64_t pid);

/* CPU time of a process and of its waited-for children in µs, as exact as clock ticks; -1:
 * unknown. */
int64_t pm_host_cpu_us(int64_t pid);

/* Parent pid of a process; 0: no parent in this pid namespace; -1: unknown. */
int64_t pm_host_parent(int64_t pid);

/* Get the kernel's name of a process (comm) and its parent's pid. Returns 0, or -1 if there is no
 * such process. */
int pm_host_program(int64_t pid, char *name, size_t size, int64_t *parent);

/* The device number (stat(2)) of /proc if /proc shows this process's own pid namespace, else 0. */
uint64_t pm_host_proc_dev(void);

/* Whether the kernel accounts delays now (kernel.task_delayacct). */
int pm_host_delayacct(void);

/* Whether there is a GPU that a DRM driver offers to programs: a render node below /dev/dri. */
int pm_host_gpus(void);

#endif
