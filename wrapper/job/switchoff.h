/* Whether recording is switched off for a job: by administrator, user, or lot. */
#ifndef PM_WRAPPER_OFF_H
#define PM_WRAPPER_OFF_H

#include "common/verb.h"

#include <stdbool.h>

/*
 * Look at the settings recording, off_file, off_users, off_accounts, off_partitions and fraction,
 * and for the file `off` beside the user's configuration. Every task and node of a job comes to the
 * same result. Returns true with *why (255 bytes and a NUL) set to the reason.
 */
bool pm_off_is(const struct pm_cli *cli, char why[256]);

#endif
