/* Delete jobs from a database, by the tables of the schema. */
#ifndef PM_DB_ERASE_H
#define PM_DB_ERASE_H

#include "db/db.h"
#include "db/userdays.h"
#include "sql/schema.h"

/* What column problems of a job says, beside else, of rows that are deleted by intent. Nothing else
 * in that column has the mark with which both begin: see submit/target.c. */
#define PM_ERASE_MARK           "retired: its "
#define PM_ERASE_NOTE_PROCESSES PM_SCHEMA_RETIRED ", counters and samples are no longer here"
#define PM_ERASE_NOTE_SAMPLES   PM_ERASE_MARK "samples are no longer here"

/* Add a note to a job's `problems`, unless it is there. Returns 0 or -1 with e filled. */
int pm_erase_note(struct pm_db *db, int64_t job, const char *note, struct pm_err *e);

/* Whether a job's `problems` have a note, or one that begins so. Returns 1, 0, also without such a
 * job, or -1 with e filled. */
int pm_erase_noted(struct pm_db *db, int64_t job, const char *note, struct pm_err *e);

/* SQL condition over table job: whether its processes, or its samples at least, are deleted so. */
#define PM_ERASE_GONE_PROCESSES PM_SCHEMA_JOB_RETIRED("")
#define PM_ERASE_GONE_SAMPLES   "coalesce(problems, '') LIKE '%" PM_ERASE_MARK "%'"

/*
 * Delete every row of a job, inside the caller's transaction, and note in `days` what it no longer
 * counts for. Returns 1, 0 where there is no such job, or -1 with e filled.
 */
int pm_erase_job(struct pm_db *db, int64_t job, struct pm_userdays *days, struct pm_err *e);

/*
 * Delete the rows of a job that need more to be kept of it than `keep`, which is not
 * PM_SCHEMA_NOTHING. The job's row with its summary, its hosts and their totals, its own tags,
 * annotations, files and rejected lines stay in any case. Inside the caller's transaction; returns
 * as pm_erase_job.
 */
int pm_erase_detail(struct pm_db *db, int64_t job, enum pm_schema_keep keep, struct pm_err *e);

/* Lock a job against loads until the caller's transaction ends. Returns the same as
 * pm_erase_job(). */
int pm_erase_lock(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * As pm_erase_job to keep PM_SCHEMA_NOTHING, else as pm_erase_detail, but stops at the time
 * until_us, by pm_now_monotonic_us: returns 2 if rows are left for another transaction. Until the
 * last part the job's row stays, and no row refers to a deleted one.
 */
int pm_erase_part(struct pm_db *db, int64_t job, enum pm_schema_keep keep, int64_t until_us,
		  struct pm_userdays *days, struct pm_err *e);

/* The retirement of whole ranges of jobs, range by range. */
struct pm_erase_ranges {
	enum pm_schema_keep keep; /* less than PM_SCHEMA_PROCESSES */
	int64_t from_us,
		before_us;       /* the jobs ended from the first time on and before the second */
	const char *note;        /* what problems of a job says then, unless nothing is kept */
	int64_t after;           /* the last range that was looked at; at first INT64_MIN */
	int busy;                /* ranges that others held a lock on */
	int64_t jobs, processes; /* of the last range: retired jobs and their processes */
};

/*
 * Retire the next range of jobs in a short transaction of its own, where the engine has ranges: all
 * of its jobs are erased as by pm_erase_job, or pm_erase_detail and pm_erase_note. A range is left
 * to others if one of its jobs is not to be retired, or another session is at work; and with a
 * warning if something that is not perfmon's depends on a partition. Returns 1, 0 if there is no
 * further one, or -1 with e filled.
 */
int pm_erase_range(struct pm_db *db, struct pm_erase_ranges *r, struct pm_err *e);

/*
 * Make the database as empty as a new one, in one transaction. Tables and views that others added
 * stay. Returns 0 or -1 with e filled and the database as it was.
 */
int pm_erase_all(struct pm_db *db, struct pm_err *e);

#endif
