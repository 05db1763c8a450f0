/*
 * Totals of the processes that share a set of tags: table tag_summary. Only large jobs have them,
 * whose operations would take long to add up otherwise. The loader adds processes as it writes
 * them; whatever changes processes otherwise has the rows computed again, by the same rules.
 */
#ifndef PM_DB_TAGSUMS_H
#define PM_DB_TAGSUMS_H

#include "common/record/intervals.h"
#include "common/record/knownsum.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job has rows if so many of its processes have tags at least, and at most; if they have at most
 * so many sets, and so many processes share one on average. All depends on the job alone. */
#define PM_TAGSUMS_LEAST   512
#define PM_TAGSUMS_MOST    (1 << 20)
#define PM_TAGSUMS_SETS    4096
#define PM_TAGSUMS_PER_SET 8

enum pm_tagsum_figure {
#define PM_TAGFIGURE(column, unit, kind) PM_TAGSUM_##column,
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
	PM_TAGSUM_FIGURES
};

struct pm_tagfigure {
	const char *name; /* column of table process */
	const char *unit; /* as in columns.def */
	bool peak;        /* the largest counts, not the sum */
};
extern const struct pm_tagfigure pm_tagfigures[PM_TAGSUM_FIGURES];

/* A process. What is unknown is PM_KNOWNSUM_UNKNOWN. */
struct pm_tagsum_process {
	int64_t set;              /* of its tags */
	int64_t start_us, end_us; /* by the clock of its host */
	int64_t value[PM_TAGSUM_FIGURES];
};

/* The sums of a set. */
struct pm_tagsum {
	int64_t set;
	int64_t processes, timed;    /* all; those in `runs` */
	int64_t start_us, finish_us; /* the earliest and the latest that is known */
	struct pm_intervals runs;    /* the union of the times of those that have both */
	struct pm_knownsum value[PM_TAGSUM_FIGURES];
};

struct pm_tagsums;

/* Returns NULL if out of memory. */
struct pm_tagsums *pm_tagsums_new(void);
void pm_tagsums_free(struct pm_tagsums *s); /* NULL is fine */

/* Add a process. Returns 0, or -1 if out of memory. */
int pm_tagsums_add(struct pm_tagsums *s, const struct pm_tagsum_process *p);

/* Add the processes of a job in the database, those with tags; `all`, unless NULL, gets the sums of
 * all of them. Returns 0 or -1 with e filled. */
int pm_tagsums_query(struct pm_tagsums *s, struct pm_db *db, int64_t job,
		     struct pm_knownsum all[PM_TAGSUM_FIGURES], struct pm_err *e);

/* The sums by number of the set, with merged intervals, if the job is one of those that have them;
 * else *n is 0. They are the table's until another process is added. */
const struct pm_tagsum *pm_tagsums_rows(struct pm_tagsums *s, size_t *n);

/* Columns of tag_summary after job_id, with commas: tag_set, processes, timed, start_us, finish_us,
 * for each figure its sum and of how many it is, runs. */
extern const char pm_tagsums_columns[];
#define PM_TAGSUMS_HEAD 5
#define PM_TAGSUMS_RUNS (PM_TAGSUMS_HEAD + 2 * PM_TAGSUM_FIGURES)

/* Write the rows of a job that has none, inside the caller's transaction. Returns 0 or -1 with e
 * filled. */
int pm_tagsums_write(struct pm_tagsums *s, struct pm_db *db, int64_t job, struct pm_err *e);

/* Compute the rows of a job from its processes and write them in place of what is there, inside the
 * caller's transaction. Returns 0 or -1 with e filled. */
int pm_tagsums_renew(struct pm_db *db, int64_t job, struct pm_err *e);

#endif
