/* Sums over many jobs, by user, month and the like. */
#ifndef PM_ANALYSIS_COMPARE_JOBSUMS_H
#define PM_ANALYSIS_COMPARE_JOBSUMS_H

#include "analysis/select/jobfilter.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By what jobs are added up. */
enum pm_jobsums_by {
	PM_JOBSUMS_USER,
	PM_JOBSUMS_ACCOUNT,
	PM_JOBSUMS_QUEUE,
	PM_JOBSUMS_NAME,
	PM_JOBSUMS_PROGRAM, /* jobs count for each of their programs */
	PM_JOBSUMS_DAY,     /* of the start, UTC */
	PM_JOBSUMS_MONTH,
	PM_JOBSUMS_TAG
};

/* Sums: what is not known of a job is not in them, and the number of jobs that are is beside. */
struct pm_jobsums_row {
	char *key; /* NULL: the jobs without one; owned */
	int64_t jobs, failed, running;
	/* Of jobs that are over: CPU time that was allocated, the part of it whose use is known,
	 * that use, and what of each job was allocated and not used, us. */
	double allocated_us, known_us, used_us, wasted_us;
	int64_t allocated_jobs, known_jobs;
	double cpu_us; /* CPU time of all, also where it is not known what was allocated */
	int64_t cpu_jobs;
	double asked_kb, asked_used_kb; /* sums of memory limits of a host, and of the largest
					 * processes of these jobs */
	int64_t asked_jobs;
	double rss_kb; /* sum of the largest processes */
	int64_t rss_jobs, peak_kb;
	double energy_uj;
	int64_t energy_jobs;
};

struct pm_jobsums {
	struct pm_jobsums_row *row; /* the most CPU time first; of days and months by time */
	size_t rows, room;
	struct pm_jobsums_row all; /* of all jobs; of programs: of all of them */
};

/* Add up the jobs of a filter; tag: a name, for PM_JOBSUMS_TAG. Returns 0 or -1 with e filled; to
 * be freed in either case. */
int pm_jobsums_read(struct pm_jobsums *s, struct pm_db *db, const struct pm_jobfilter *f,
		    enum pm_jobsums_by by, const char *tag, struct pm_err *e);

/* A job that wasted much. */
struct pm_jobsums_job {
	int64_t id, start_us;      /* INT64_MIN: unknown */
	char *jobid, *user, *name; /* owned; "" for none */
	double allocated_us, used_us;
	bool failed;
};

/* Find the jobs of a filter, n at most, that were allocated the most CPU time without using it:
 * *job, to be freed by pm_jobsums_free_jobs(), gets *jobs. Returns 0 or -1 with e filled. */
int pm_jobsums_worst(struct pm_jobsums_job **job, size_t *jobs, struct pm_db *db,
		     const struct pm_jobfilter *f, size_t n, struct pm_err *e);

void pm_jobsums_free_jobs(struct pm_jobsums_job *job, size_t jobs);
void pm_jobsums_free(struct pm_jobsums *s);

#endif
