/* Names of archives in a directory of them: CLUSTER/YYYY-MM.db. */
#ifndef PM_MANAGE_ARCHIVENAME_H
#define PM_MANAGE_ARCHIVENAME_H

#include <stdbool.h>
#include <stdint.h>

/* Room for the name of an archive below the directory. */
#define PM_ARCHIVENAME 256

/* Name the archive of a job by its cluster, which may be any text, and its end, us since 1970 UTC.
 */
void pm_archivename_make(char name[PM_ARCHIVENAME], const char *cluster, int64_t end_us);

/* Whether a text may be such a name: one folder, and a file that ends in .db. */
bool pm_archivename_is(const char *name);

/* Whether such a name is one that pm_archivename_make() gives, not that of a copy or the like. */
bool pm_archivename_is_made(const char *name);

#endif
