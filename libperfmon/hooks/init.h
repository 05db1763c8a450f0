/* Starting before the constructor. */
#ifndef PM_LIBPERFMON_HOOKS_INIT_H
#define PM_LIBPERFMON_HOOKS_INIT_H

/*
 * Begin recording now if the constructor has not run yet: libraries that the program is linked
 * with are initialised before preloaded ones, and some create threads there. Does nothing
 * afterwards, whether or not this image is recorded.
 */
void pm_init_early(void);

#endif
