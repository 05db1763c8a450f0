/* Copy jobs between databases of any engine. */
#ifndef PM_DB_COPY_H
#define PM_DB_COPY_H

#include "db/db.h"
#include "db/userdays.h"

enum pm_copy_state {
	PM_COPY_NEW,      /* the target did not have the job */
	PM_COPY_REPLACED, /* the job replaced an older copy */
	PM_COPY_THERE,    /* the target has a job of the same identity: nothing was done */
	PM_COPY_GONE,     /* the job was deleted from the source meanwhile */
};

/*
 * Copy every row of a job, in one transaction of `to`. The job gets a new number there. Cluster,
 * user, job id, array task, restart count and epoch identify the job: if `to` has it already, the
 * old copy stays, or with `replace` gives its number to the new one. With `dry` nothing is written,
 * and `to` may be NULL for a database that does not exist yet. *state gets what became, or would
 * become, of the job. Returns 0, or -1 with e filled and `to` as it was.
 */
int pm_copy_job(struct pm_db *from, struct pm_db *to, int64_t job, bool replace, bool dry,
		enum pm_copy_state *state, struct pm_err *e);

enum pm_copy_how {
	PM_COPY_ALL = 0,
	PM_COPY_REPLACE = 1, /* as `replace` of pm_copy_job */
	PM_COPY_BRIEF = 2,   /* only the job's own row, its tags and its annotations */
};

/* As pm_copy_job, inside the caller's transaction of `to`; `how` is a sum of enum pm_copy_how. The
 * caller applies `days` before the commit. */
int pm_copy_within(struct pm_db *from, struct pm_db *to, int64_t job, int how,
		   struct pm_userdays *days, enum pm_copy_state *state, struct pm_err *e);

/* Find the number that a job of `from` has in `to`. Returns 1 with *id; 0 if one of them has no
 * such job; -1 with e filled. */
int pm_copy_find(struct pm_db *from, int64_t job, struct pm_db *to, int64_t *id, struct pm_err *e);

/* How the rows of a job compare with those of its copy, number of the job aside. */
enum pm_copy_match {
	PM_COPY_NONE, /* one of the databases does not have the job */
	PM_COPY_SAME, /* every row is the same */
	/* The rows that deletion has left so far: the job's `problems` are those of the copy and
	 * the note, its summary is the same, and of no table it has more rows. */
	PM_COPY_REST,
	/* The copy is older: the job was loaded from all its files and perhaps further ones, has
	 * its annotations and tags, perhaps with other values, and of no table fewer rows. */
	PM_COPY_MORE,
	PM_COPY_OTHER, /* each may have what the other lacks */
};

/*
 * Compare each row of a job with those of its copy in `to`, in whatever order they are. `note` is
 * the text that retire_to.c adds to the job's `problems` before it deletes a part of it. *table
 * gets the first table that differs, NULL with PM_COPY_NONE and PM_COPY_SAME. Returns 0 or -1 with
 * e filled.
 */
int pm_copy_compare(struct pm_db *from, int64_t job, struct pm_db *to, const char *note,
		    enum pm_copy_match *match, const char **table, struct pm_err *e);

#endif
