/* Namespaces of process ids. Programs only. */
#ifndef PM_PIDNS_H
#define PM_PIDNS_H

/*
 * Whether this process is in the first one, whose ids are those that the kernel itself uses: 1, 0
 * in a container with its own, -1 where /proc does not tell.
 */
int pm_pidns_first(void);

#endif
