/*
 * Operations: the processes of one or many jobs whose tags contain given ones, and what they took
 * together.
 */
#ifndef PM_ANALYSIS_OPS_OPS_H
#define PM_ANALYSIS_OPS_OPS_H

#include "analysis/select/opselect.h"
#include "analysis/ops/opsets.h"
#include "common/err.h"
#include "common/record/intervals.h"
#include "db/db.h"
#include "db/tagsums.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unknown sum: of no known value, or too large for a number. */
#define PM_OPS_UNKNOWN PM_KNOWNSUM_UNKNOWN

/* The first figures, which are always read. */
enum { PM_OPS_DURATION, PM_OPS_THREADS, PM_OPS_FIXED };

struct pm_op {
	const char *key;             /* see pm_opselect_apply() */
	int64_t job;                 /* 0: of all jobs */
	int64_t jobs, processes;     /* number of them */
	int64_t timed;               /* processes in `runs` */
	int64_t start_us, finish_us; /* the earliest and the latest that is known */
	struct pm_intervals runs;    /* the union of the processes' times */
	struct pm_knownsum *value;   /* of each figure of struct pm_ops */
	int64_t last_job;            /* of those read so far */
};

struct pm_ops {
	const struct pm_tagfigure *metric[PM_TAGSUM_FIGURES];
	size_t metrics;
	struct pm_op *op; /* the longest sum of durations first; of each job, by name */
	size_t ops, room;
	struct pm_opsets sets;
	bool sums; /* as in struct pm_ops_ask */
};

struct pm_ops_ask {
	const int64_t *job; /* ids, rising */
	size_t jobs;
	const struct pm_opselect *select;
	bool per_job; /* an operation for each job */
	bool sums;    /* without intervals, whose memory grows with the processes */
};

/* Begin with the figures that names choose: with commas between, "*" for all. Returns 0, or -1 with
 * e filled. */
int pm_ops_choose(struct pm_ops *x, const char *names, struct pm_err *e);

/*
 * Read the operations of jobs over n connections to their database at once: their rows in table
 * process, once and no others, or in table tag_summary those of jobs that have some there. The
 * times of a process are start_us and end_us, by the clock of its host; where one is not known or
 * the end comes first, the process counts and is in no interval. x is as pm_ops_choose() left it.
 * Returns 0, or -1 with e filled. To be freed in either case.
 */
int pm_ops_read(struct pm_ops *x, struct pm_db *const *db, size_t n, const struct pm_ops_ask *ask,
		struct pm_err *e);

/* Length of the union of the processes' times, us; PM_OPS_UNKNOWN if the times of none are known.
 */
int64_t pm_ops_union(const struct pm_op *op);

/* From the start of the first process to the end of the last one; PM_OPS_UNKNOWN if no process has
 * both. */
int64_t pm_ops_span(const struct pm_op *op);

void pm_ops_free(struct pm_ops *x);

/* A name of a tag, over its values. */
struct pm_opkey {
	char *name; /* escaped as in the database; owned */
	int64_t processes, values;
};

/*
 * Rank the tags of the processes of jobs: those that most processes have first, of as many those of
 * more values. *key gets an array of *keys to be freed with pm_opkeys_free(). Returns 0 or -1 with
 * e filled.
 */
int pm_opkeys_read(struct pm_opkey **key, size_t *keys, struct pm_db *db, const int64_t *job,
		   size_t jobs, struct pm_err *e);

void pm_opkeys_free(struct pm_opkey *key, size_t keys);

#endif
