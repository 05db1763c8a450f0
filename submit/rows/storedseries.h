/*
 * Samples that the database has. Most series files are not stored, since all that they say is in
 * their samples: these are merged with later files, and prove that a file is loaded.
 */
#ifndef PM_SUBMIT_ROWS_STOREDSERIES_H
#define PM_SUBMIT_ROWS_STOREDSERIES_H

#include "db/db.h"
#include "submit/job/gather.h"

/*
 * Add the samples that the database has of a job's host to the host `host` of a store. Blocks whose
 * monotonic times are unknown, which version 4 of the schema migrated, are left out: the content of
 * their files is stored. Returns the number of blocks added, or -1 with e filled: damaged ones,
 * too.
 */
int64_t pm_storedseries_read(struct pm_db *db, int64_t job, int64_t host_id, struct pm_series *to,
			     uint32_t host, struct pm_err *e);

/*
 * Count the gathered samples of a host that the job in the database lacks, or has with another
 * value. Where it has a sample of the same time that pm_series_order() prefers, nothing is missing.
 * Returns their number, or -1 with e filled.
 */
int64_t pm_storedseries_missing(struct pm_db *db, int64_t job, struct pm_gather *g, uint32_t host,
				struct pm_err *e);

/* The same for the samples of one file, number `file` of pm_series. Those behind the moment at
 * which the clock was set back count as missing. */
int64_t pm_storedseries_missing_of(struct pm_db *db, int64_t job, struct pm_gather *g,
				   uint32_t file, struct pm_err *e);

#endif
