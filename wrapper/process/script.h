/* Find the script that called perfmon. */
#ifndef PM_WRAPPER_PROCESS_SCRIPT_H
#define PM_WRAPPER_PROCESS_SCRIPT_H

#include <limits.h>

/* Get the absolute path of the script that the nearest shell among our ancestors runs, from the
 * shell's arguments. Returns 0, or -1 without a script: an interactive shell, or one with -c. */
int pm_script_find(char path[PATH_MAX]);

#endif
