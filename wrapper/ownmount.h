/* Mounts that only the processes of one job or session see, and that go with it. */
#ifndef PM_WRAPPER_OWNMOUNT_H
#define PM_WRAPPER_OWNMOUNT_H

#include <limits.h>
#include <stdbool.h>

/*
 * Whether a directory lies in a mount of our own: what the first process of the system finds under its
 * path, symbolic links resolved here, is something else, as with Slurm's job_container/tmpfs and
 * pam_namespace(8). *point gets where the mount is. False also where that cannot be told.
 */
bool pm_ownmount_has(const char *path, char point[PATH_MAX]);

#endif
