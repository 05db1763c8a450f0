/* Copy files. Programs only. */
#ifndef PM_COMMON_FILECOPY_H
#define PM_COMMON_FILECOPY_H

#include <sys/types.h>

/* Copy a regular file from its beginning to where another descriptor stands. Returns 0, or -1 with
 * errno: some of it may be there then. */
int pm_filecopy(int from, int to);

/* Copy n bytes of it, whatever comes behind them meanwhile. Returns as pm_filecopy(); ENODATA: it
 * is shorter. */
int pm_filecopy_part(int from, int to, off_t n);

#endif
