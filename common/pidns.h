/* Pid namespaces. Programs only. */
#ifndef PM_COMMON_PIDNS_H
#define PM_COMMON_PIDNS_H

#include <stdint.h>

/* Inode of the initial pid namespace, the same on every machine: PROC_PID_INIT_INO in Linux's
 * include/linux/proc_ns.h. */
#define PM_PIDNS_FIRST INT64_C(0xEFFFFFFC)

/*
 * 1 when this process is in the initial pid namespace, whose ids are those of the kernel itself; 0
 * in a container with its own; -1 where /proc does not tell.
 */
int pm_pidns_first(void);

/* Inode of this process's pid namespace, -1 where unknown. */
int64_t pm_pidns_own(void);

#endif
