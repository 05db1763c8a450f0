/* What becomes of the program where memory is short and it cannot go on without. Programs only. */
#ifndef PM_NOMEM_H
#define PM_NOMEM_H

/* Say what is done then in place of ending with a message; it may return where it could not, or end
 * the program itself. NULL for nothing. */
void pm_nomem_instead(void (*last)(void *arg), void *arg);

/* Memory is short: do what pm_nomem_instead() said, else end the program with a message and
 * status 1. */
_Noreturn void pm_nomem(void);

#endif
