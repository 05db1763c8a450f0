/*
 * Loading recorded jobs into an open database: what `submit` does, and with a database in memory
 * what `report DIR` does. Programs only.
 */
#ifndef PM_LOAD_H
#define PM_LOAD_H

#include "submit/db.h"

#include <stdbool.h>
#include <stdint.h>

enum pm_load_state {
	PM_LOAD_NEW,       /* the job was not in the database */
	PM_LOAD_APPENDED,  /* files or hosts of it were added to what was there */
	PM_LOAD_REPLACED,  /* newer state of files that were there replaced them */
	PM_LOAD_UNCHANGED, /* everything was there already; nothing was written */
};

/* What became of one job of a source. */
struct pm_load_result {
	int64_t job_id;    /* its row in table job */
	const char *jobid; /* job id, of an array with _<task> */
	enum pm_load_state state;
	int64_t processes, threads; /* of the whole job */
	int64_t lines, rejected;    /* of the files read now */
	int64_t elapsed_us;         /* for reading and writing them */
	const char *problems;       /* what was wrong, separated by "; ", "" for nothing */
};

struct pm_load_options {
	/* Called for each job, after its transaction was committed; NULL: nothing. */
	void (*done)(void *ctx, const struct pm_load_result *r);
	void *ctx;
};

/*
 * Load every job of a source: a job directory, or an archive (.tar, .tar.gz, .tgz) of one or
 * more. Each job is one transaction. What is skipped is warned about.
 * Returns 0 when all of it was loaded; 1 when something was rejected, skipped or wrong, the rest
 * being loaded; -1 with e filled when a job could not be loaded (those before it are).
 */
int pm_load_source(struct pm_db *db, const char *path, const struct pm_load_options *o,
		   struct pm_err *e);

#endif
