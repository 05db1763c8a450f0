/* Which job of the database gathered files belong to, and what of it they replace. */
#ifndef PM_SUBMIT_JOB_H
#define PM_SUBMIT_JOB_H

#include "db/db.h"
#include "submit/gather.h"
#include "submit/write.h"

/*
 * Complete the identity of gathered files: the section job of the first metadata, made from the
 * records and the directory's name where there is none, the user by the owner of the files where
 * they are not to be trusted. Returns the metadata, owned by g, or NULL with e filled.
 */
struct pm_meta *pm_job_identity(struct pm_gather *g, struct pm_err *e);

/* Whether what was gathered says nothing of which job it is of, but for its directory's name, host
 * and time: series, marks and counts alone. */
bool pm_job_is_part(const struct pm_gather *g);

/* Base name of the gathered directory, or of the archive where its files are at the top: what a job
 * without an id is named by. It is cut where it does not fit. */
void pm_job_base_name(const struct pm_gather *g, char *name, size_t size);

/*
 * The job in the database that gathered files of this identity belong to. Records without metadata
 * belong to the job of the same user, id and host that was running when they began; metadata, to
 * the job that was made from such records before. Returns its number, 0 for none, or -1 with e
 * filled.
 */
int64_t pm_place_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		      struct pm_err *e);

/* Inside a transaction: delete what was made of the files of some hosts, but not the files; delete
 * everything of a job but its row and annotations. Return 0 or -1 with e filled. */
int pm_place_delete_hosts(struct pm_db *db, int64_t job, const int64_t *host, size_t n,
			  struct pm_err *e);
int pm_place_clear(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Inside a transaction: write the job's row, new where `job` is 0, and its tags. *base gets where
 * rows go. Returns 0 or -1 with e filled.
 */
int pm_place_job(struct pm_db *db, struct pm_gather *g, const struct pm_meta *id, int64_t job,
		 struct pm_write_base *base, struct pm_err *e);

#endif
