/* Namespaces of process ids. Programs only. */
#ifndef PM_PIDNS_H
#define PM_PIDNS_H

#include <stdint.h>

/*
 * Whether this process is in the first one, whose ids are those that the kernel itself uses: 1, 0
 * in a container with its own, -1 where /proc does not tell.
 */
int pm_pidns_first(void);

/* Inode of the one of this process, -1 where unknown. */
int64_t pm_pidns_own(void);

#endif
