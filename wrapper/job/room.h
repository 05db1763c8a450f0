/* Room on the disk for the end of a job, kept from its start: where the disk fills up meanwhile,
 * the end is recorded all the same. */
#ifndef PM_WRAPPER_ROOM_H
#define PM_WRAPPER_ROOM_H

#include "common/err.h"

#include <jansson.h>

/* Keep room, in the file .room-<host>, for job-<host>.json with its stop half. On file systems that
 * cannot promise any, such as NFS before 4.2, nothing is kept. */
void pm_room_keep(int dir, const char *host);

/* pm_metadata_write for the stop half, into the kept room if there is no other. Gives the room
 * back. Returns 0 or -1 with e filled. */
int pm_room_write(int dir, const char *host, json_t *doc, struct pm_err *e);

#endif
