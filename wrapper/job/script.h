/* Which script a process runs for. */
#ifndef PM_WRAPPER_SCRIPT_H
#define PM_WRAPPER_SCRIPT_H

#include <limits.h>

/* The script that the nearest shell above us runs, by the arguments of its process: its absolute
 * path. Returns 0, or -1 where there is none: an interactive shell, or commands given with -c. */
int pm_script_find(char path[PATH_MAX]);

#endif
