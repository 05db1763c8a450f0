/* Whether recording is switched off for a job: by the administrator, the user, or at random. */
#ifndef PM_WRAPPER_JOB_SWITCHOFF_H
#define PM_WRAPPER_JOB_SWITCHOFF_H

#include "common/cli/verb.h"

#include <stdbool.h>

/*
 * Check the settings recording, off_file, off_users, off_accounts, off_partitions and fraction, and
 * the file `off` beside the user's configuration. Every task and node of a job gets the same
 * result. Returns true if recording is off, with *why (255 bytes and a NUL) set to the reason.
 */
bool pm_switchoff_is(const struct pm_cli *cli, char why[256]);

#endif
