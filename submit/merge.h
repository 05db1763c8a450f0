/* Files that come after others of the same job, or overlap with them. Programs only. */
#ifndef PM_LATE_H
#define PM_LATE_H

#include "db/db.h"
#include "submit/gather.h"

struct pm_late {
	struct pm_gather all; /* what is new, with all that is loaded of the same hosts */
	int64_t *host;        /* hosts in the database that it stands for */
	size_t hosts;
	size_t added;    /* files that say something new */
	size_t replaced; /* loaded files of which there is a newer version with all they say */
};

/*
 * Put the gathered files together with what the job in the database (0 for none) has of their
 * hosts, inside the caller's transaction. Files that were loaded, by name and digest, are left out;
 * a line that several loads have counts once. With `added` 0 there is nothing to write. Returns 0
 * or -1 with e filled; the result must be freed either way.
 */
int pm_late_merge(struct pm_late *late, struct pm_db *db, const struct pm_gather *g, int64_t job,
		  struct pm_keep *keep, struct pm_err *e);
void pm_late_free(struct pm_late *late);

#endif
