/* Where the records of this process go: the paths of its record file and of the host's tally. */
#ifndef PM_LIBPERFMON_RECORD_RECORDFILE_H
#define PM_LIBPERFMON_RECORD_RECORDFILE_H

#include <stdbool.h>
#include <sys/types.h>

/* Set the output directory; the host's name is known (pm.hostname). Returns 0, or -1 if the path is
 * too long. */
int pm_recordfile_place(const char *output);

/* Name the record file, once the process is known and after a change of pm.per_process. */
void pm_recordfile_name(void);

/* The path of the tally, in memory that is never freed; NULL if out of memory. */
const char *pm_recordfile_tally(void);

/*
 * Remember the record file's directory. To be called before a chroot or the like, after which the
 * path may lead elsewhere. Returns whether the directory is known.
 */
bool pm_recordfile_remember(void);

/*
 * Once pm.departed is set: whether the path of the record file leads anywhere but to the directory
 * that pm_recordfile_remember() saw. If so, nothing is written or created there.
 */
bool pm_recordfile_is_astray(void);

/*
 * Whether an image that began as root (pm.root) may write to an open record file or tally. The
 * owner of the directory could lead root to a file that only root may change, so root writes only
 * to its own files, and only to those with a single name.
 */
struct stat;
bool pm_recordfile_is_safe(const struct stat *st);

/*
 * After the file could not be opened: switch to the record file of the user that the process has
 * become, which all of that user's processes share. Returns false if it was that user's file
 * already.
 */
bool pm_recordfile_change_user(void);

/*
 * As root, before the process becomes another user: create the record file that this user's
 * processes append to, if the job's directory lets other users through.
 */
void pm_recordfile_make_for(uid_t uid);

#endif
