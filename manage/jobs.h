/* The jobs of a database that a command line names. */
#ifndef PM_MANAGE_JOBS_H
#define PM_MANAGE_JOBS_H

#include "common/cli/verb.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

struct pm_jobs {
	int64_t *id;
	size_t n, room;
};

/*
 * Find the jobs of the operands from number `from` on, and of -j: each once, in the order given;
 * without any, those that options select (report/jobwords.h), the newest first; where there are no
 * such options either, all jobs of the database by number. Returns PM_EXIT_OK, or another exit
 * status with e filled: a name is that of no job or of several, or there are both names and
 * options. In either case the caller calls pm_jobs_free.
 */
int pm_jobs_find(struct pm_jobs *j, struct pm_db *db, const struct pm_cli *cli, int from,
		 struct pm_err *e);

void pm_jobs_free(struct pm_jobs *j);

/* The name and the size of a job, for messages. */
struct pm_jobs_one {
	int64_t id;
	int64_t processes; /* from the job's summary */
	char name[160];    /* "#12 alice/4711_3", safe for a terminal */
};

/* Read a job by its number. Returns 1, 0 if there is no such job, or -1 with e filled. */
int pm_jobs_read(struct pm_jobs_one *one, struct pm_db *db, int64_t id, struct pm_err *e);

#endif
