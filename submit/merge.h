/* Merge files with those loaded earlier, or overlapping files of one load. */
#ifndef PM_SUBMIT_MERGE_H
#define PM_SUBMIT_MERGE_H

#include "db/db.h"
#include "submit/job/gather.h"

struct pm_merge {
	struct pm_gather all; /* new files, with all loaded files of the same hosts */
	int64_t *host;        /* ids of the hosts whose rows it replaces */
	size_t hosts;
	size_t added;    /* number of files with new content */
	size_t replaced; /* number of loaded files superseded by newer versions */
	bool refused;    /* failed: rows or contents that it needs are deleted */
};

/*
 * Merge the gathered files with the files that the job in the database (0: none) has of their
 * hosts, inside the caller's transaction. Files already loaded, by name and digest, are left out; a
 * line in several loads counts once. If `added` is 0, there is nothing to write. Returns 0 or -1
 * with e filled; the result must be freed either way.
 */
int pm_merge_job(struct pm_merge *late, struct pm_db *db, const struct pm_gather *g, int64_t job,
		 struct pm_filecontent *keep, struct pm_err *e);
void pm_merge_free(struct pm_merge *late);

#endif
