/* The child of a fork. */
#ifndef PM_FORK_H
#define PM_FORK_H

/*
 * In a child that has its own copy of this process' memory, before the program goes on: make it an
 * image of its own and write its start record. A process that is not recorded stays so.
 * Async-signal-safe.
 */
void pm_fork_child(void);

#endif
