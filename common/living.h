/* Find recorded processes of a job that still live: what they start should be recorded, too.
 * Programs only. */
#ifndef PM_LIVING_H
#define PM_LIVING_H

#include "common/err.h"

#include <stddef.h>

/* Room for the list of a few. */
#define PM_LIVING_NAMES 160

/*
 * Look for them in an open job directory: images of this host whose records have a start and no
 * end, and whose process is there; and processes of the directory's owner that have no record, but
 * hand on in their environment that what they start is recorded there. Of this process and its
 * ancestors only those with records count. With a host of NULL the files of all hosts are read,
 * else those of `host`, as they are named. `list` gets the first of them, as "NAME (PID), ...".
 * Returns how many there are, or -1 with e filled. Of another host, or an earlier boot, there are
 * none.
 */
int pm_living_find(int dir, const char *host, char *list, size_t size, struct pm_err *e);

#endif
