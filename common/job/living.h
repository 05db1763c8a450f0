/* Find recorded processes of a job that are still running: their children should be recorded, too.
 * Programs only. */
#ifndef PM_COMMON_JOB_LIVING_H
#define PM_COMMON_JOB_LIVING_H

#include "common/err.h"

#include <stddef.h>

/* Room for the list of the first few processes. */
#define PM_LIVING_NAMES 160

/*
 * Find the running processes of an open job directory: images of this host whose records have a
 * start and no end and whose process exists; and processes of the directory's owner that have no
 * record but whose environment makes their children record there. This process and its ancestors
 * count only if they have records. With a host of NULL the record files of all hosts are read, else
 * those of `host`, by the host name in their file names. `list` gets the first processes, as "NAME
 * (PID), ...". Returns the number of processes, or -1 with e filled. Processes of another host or
 * an earlier boot are never found.
 */
int pm_living_find(int dir, const char *host, char *list, size_t size, struct pm_err *e);

#endif
