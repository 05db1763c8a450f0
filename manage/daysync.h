/* The Parquet files of archives, brought to what the archives have. */
#ifndef PM_MANAGE_DAYSYNC_H
#define PM_MANAGE_DAYSYNC_H

#include "manage/archivedir.h"

#include <stddef.h>
#include <stdint.h>

/* No day: see pm_dayfile_day(). */
#define PM_DAYSYNC_NONE INT64_MIN

/*
 * Write the files of an archive that are missing, not complete, or of other jobs than it has, and
 * remove those of days on which none of its jobs ended. A file with processes that were retired in
 * the archive itself is left as it is, which is an error where it is that of `day`. Returns 0, or
 * -1 with e filled.
 */
int pm_daysync_archive(struct pm_archivedir *a, const char *archive, int64_t day, struct pm_err *e);

/* The same of all archives. Those that it fails for are told by warnings, and *failed gets their
 * number. Returns 0, or -1 with e filled. */
int pm_daysync_all(struct pm_archivedir *a, size_t *failed, struct pm_err *e);

#endif
