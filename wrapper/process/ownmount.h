/* Mounts that are private to one job or session and vanish with it. */
#ifndef PM_WRAPPER_PROCESS_OWNMOUNT_H
#define PM_WRAPPER_PROCESS_OWNMOUNT_H

#include <limits.h>
#include <stdbool.h>

/*
 * Whether a directory is in a private mount: its path, with symbolic links resolved here, names a
 * different directory for the system's first process, as with Slurm's job_container/tmpfs and
 * pam_namespace(8). *point gets the mount point. False also if that cannot be determined.
 */
bool pm_ownmount_has(const char *path, char point[PATH_MAX]);

#endif
