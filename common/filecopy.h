/* Copy files. Programs only. */
#ifndef PM_COMMON_FILECOPY_H
#define PM_COMMON_FILECOPY_H

/* Copy a regular file from its beginning to where another descriptor stands. Returns 0, or -1 with
 * errno: some of it may be there then. */
int pm_filecopy(int from, int to);

#endif
