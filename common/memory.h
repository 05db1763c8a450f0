/* Memory that cannot be done without. Programs only. */
#ifndef PM_MEMORY_H
#define PM_MEMORY_H

/*
 * Have `fn` called with `arg` where pm_memory_sure() finds that there is no memory: what is owed to
 * others even then, such as running the command of `perfmon run`. NULL: nothing is.
 */
void pm_memory_owe(void (*fn)(void *arg), void *arg);

/*
 * `p`, unless it is NULL for want of memory: then what is owed is done, and should that return, a
 * message is printed and the program ends with status 1. For small texts without which nothing can
 * go on; where something can, the caller returns an error.
 */
void *pm_memory_sure(void *p);

#endif
