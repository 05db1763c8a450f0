/* The exec family. */
#ifndef PM_EXEC_H
#define PM_EXEC_H

/* Look up what a fork child that goes on to exec calls, while its parent's pages can be shared. */
void pm_exec_prepare(void);

#endif
