/* Reserve disk space at the start of a job for its end, so that the end is recorded even on a disk
 * that is full by then. */
#ifndef PM_WRAPPER_JOB_ROOM_H
#define PM_WRAPPER_JOB_ROOM_H

#include "common/err.h"

#include <jansson.h>

/* Reserve space, in the file .room-<host>, for job-<host>.json with its stop half. Does nothing on
 * file systems that cannot reserve space, such as NFS before 4.2. */
void pm_room_keep(int dir, const char *host);

/* Like pm_metadata_write for the stop half, but on a full disk write into the reserved space.
 * Releases the reserved space. Returns 0 or -1 with e filled. */
int pm_room_write(int dir, const char *host, json_t *doc, struct pm_err *e);

#endif
