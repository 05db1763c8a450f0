/* The exec family. */
#ifndef PM_LIBPERFMON_HOOKS_EXEC_H
#define PM_LIBPERFMON_HOOKS_EXEC_H

/* Look up the functions with which a fork child calls exec, before the fork: a look-up in the child
 * would copy its parent's pages. */
void pm_exec_prepare(void);

#endif
