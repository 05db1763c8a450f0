/* Facts of this host and of this process for job metadata. */
#ifndef PM_WRAPPER_HOST_H
#define PM_WRAPPER_HOST_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Set every key of section host. What cannot be read stays absent. */
void pm_host_describe(json_t *doc);

/* Start of a process in clock ticks after boot (proc(5), stat field 22), -1 where unknown. */
int64_t pm_host_starttime(int64_t pid);

/* CPU time of a process and of what it has waited for, µs by clock ticks; -1 where unknown. */
int64_t pm_host_cpu_us(int64_t pid);

/* Parent of a process, 0 for one that has none here, -1 where unknown. */
int64_t pm_host_parent(int64_t pid);

/* Name of a process, as the kernel has it, and its parent. Returns 0, or -1 where it is not there.
 */
int pm_host_program(int64_t pid, char *name, size_t size, int64_t *parent);

/* Device of /proc as stat(2) says it, where that is the one of this process' pid namespace, else 0.
 */
uint64_t pm_host_proc_dev(void);

/* 1 when the kernel accounts delays now (kernel.task_delayacct). */
int pm_host_delayacct(void);

#endif
