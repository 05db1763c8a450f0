/* Where the records of this process go: the paths of its record file and of the host's tally. */
#ifndef PM_RECORDFILE_H
#define PM_RECORDFILE_H

#include <stdbool.h>
#include <sys/types.h>

/* Take the output directory; the host's name is known (pm.hostname). Returns 0, or -1 where the
 * path is too long. */
int pm_recordfile_place(const char *output);

/* Name the record file, once the process is known and after a change of pm.per_process. */
void pm_recordfile_name(void);

/* The path of the tally, in memory that is kept, or NULL where there is none. */
const char *pm_recordfile_tally(void);

/*
 * Remember which directory the record file is in, before a call after which its path may lead
 * elsewhere. Returns whether it is known.
 */
bool pm_recordfile_remember(void);

/*
 * Behind such a call (pm.departed): whether the path of the record file leads elsewhere by now, to
 * a directory that is not the one it led to before. Nothing is written or created there.
 */
bool pm_recordfile_is_astray(void);

/*
 * Where the image began as root's (pm.root): whether an open record file or tally may be written.
 * Root could be led by whoever owns the directory to a file that root alone may change: it writes
 * to its own, which have one name.
 */
struct stat;
bool pm_recordfile_is_safe(const struct stat *st);

/*
 * The file cannot be opened: name that of the user that the process is by now, shared by all of
 * its processes. Returns false where it was that already.
 */
bool pm_recordfile_change_user(void);

/*
 * While root, before the process becomes this other user: make the record file that the user's
 * processes append to, where root's job lets others through to it.
 */
void pm_recordfile_make_for(uid_t uid);

#endif
