/* Out of memory: run a handler, then end the program. Programs only. */
#ifndef PM_COMMON_NOMEM_H
#define PM_COMMON_NOMEM_H

/* Set the handler of pm_nomem(), NULL for none. It may end the program itself; if it returns,
 * pm_nomem() ends it. */
void pm_nomem_instead(void (*last)(void *arg), void *arg);

/* Run the handler of pm_nomem_instead(), if any, then end the program with a message and status 1.
 */
_Noreturn void pm_nomem(void);

#endif
