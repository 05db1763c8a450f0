/* Find the job in the database that gathered files belong to, and prepare its rows. */
#ifndef PM_SUBMIT_JOB_H
#define PM_SUBMIT_JOB_H

#include "common/job/jobidentity.h"
#include "db/db.h"
#include "submit/job/gather.h"
#include "submit/rows/write.h"

/*
 * Complete the identity of gathered files: section job of the first metadata. Without metadata it
 * is derived from the records and the directory's name; the user comes from the owner of the files
 * unless these are trusted. Returns the metadata, owned by g, or NULL with e filled.
 */
struct pm_meta *pm_job_identity(struct pm_gather *g, struct pm_err *e);

/* The identity in completed metadata, whose texts it borrows. */
struct pm_jobidentity pm_job_identity_of(const struct pm_meta *m);

/* Whether the gathered files identify their job only by directory name, host and time: series,
 * marks and counts alone. */
bool pm_job_is_part(const struct pm_gather *g);

/* Base name of the gathered directory, or of the archive if its files are at the top: the name of a
 * job without an id. It is truncated to fit. */
void pm_job_base_name(const struct pm_gather *g, char *name, size_t size);

/*
 * Find the job in the database that gathered files of this identity belong to. Records without
 * metadata belong to the job of the same user, id and host that was running when they began;
 * metadata, to the job that was made from such records before. Returns its row id, 0 if there is
 * none, or -1 with e filled.
 */
int64_t pm_place_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		      struct pm_err *e);

/* Inside a transaction. pm_place_delete_hosts: delete the rows made from the files of some hosts,
 * but not the files. pm_place_clear: delete everything of a job except its row and annotations.
 * Both return 0 or -1 with e filled. */
int pm_place_delete_hosts(struct pm_db *db, int64_t job, const int64_t *host, size_t n,
			  struct pm_err *e);
int pm_place_clear(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Inside a transaction: write the job's row, a new one if `job` is 0, and its tags. *base gets the
 * highest ids in use. Returns 0 or -1 with e filled.
 */
int pm_place_job(struct pm_db *db, struct pm_gather *g, const struct pm_meta *id, int64_t job,
		 struct pm_write_base *base, struct pm_err *e);

/* Inside a transaction: add problems to the job's row, texts separated by semicolons, unless it has
 * them. Returns 0 or -1 with e filled. */
int pm_place_problems(struct pm_db *db, int64_t job, const char *more, struct pm_err *e);

#endif
